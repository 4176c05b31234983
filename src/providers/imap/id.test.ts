/** Ids of IMAP mails: the same for the same mail, and nothing that a server could take for a command. */
import { describe, expect, it } from 'vitest'
import { readHeaders } from '../../mime/mail-headers.ts'
import { isSameMail, mailId, searchFor } from './id.ts'

const idOf = (headers: string, arrived = Date.UTC(2026, 0, 5, 12), size = 100) =>
  mailId(readHeaders(Buffer.from(`${headers}\r\n\r\n`)), { arrived, size })

const ada = 'From: ada@example.com\r\nDate: Mon, 5 Jan 2026 12:00:00 +0000\r\nSubject: Hello'

describe('the id of an IMAP mail', () => {
  it('is that of its content, whenever and wherever it came, and however its headers are folded', () => {
    const id = idOf(`Message-ID: <a@example.com>\r\n${ada}`)
    expect(id).toMatch(/^m[\w-]+$/)
    expect(idOf(`${ada.replace('Hello', '\r\n Hello')}\r\nMessage-Id: <a@example.com>`, 0, 1)).toBe(
      id,
    )
    expect(idOf(`Message-ID: <b@example.com>\r\n${ada}`)).not.toBe(id)
    expect(idOf(`Message-ID: <a@example.com>\r\n${ada} 2`)).not.toBe(id)
  })

  it('tells which Message-ID to look for', () => {
    expect(searchFor(idOf(`Message-ID: <a"b\\c@example.com>\r\n${ada}`))).toEqual({
      deleted: false,
      header: { 'message-id': 'a"b\\c@example.com' },
    })
  })

  it.each([
    ['none', ''],
    ['one that is too long', `Message-ID: <${'x'.repeat(400)}@example.com>\r\n`],
    ['one that is no ASCII', 'Message-ID: <ü@example.com>\r\n'],
    ['an empty one', 'Message-ID: <>\r\n'],
  ])('goes by the day and the headers where there is %s', (_, messageId) => {
    const id = idOf(messageId + ada)
    expect(id).toMatch(/^d\d+x[0-9a-f]{32}$/)
    expect(Object.keys(searchFor(id) ?? {})).toEqual(['deleted', 'since', 'before'])
    const dayLater = idOf(messageId + ada, Date.UTC(2026, 0, 6, 1))
    expect([isSameMail(id, dayLater), id === dayLater]).toEqual([true, false])
    expect(isSameMail(id, idOf(messageId + ada, Date.UTC(2026, 0, 9)))).toBe(false)
    expect(isSameMail(id, idOf(messageId + ada, undefined, 101))).toBe(false)
  })

  const named = (name: string) => `m${'0'.repeat(16)}${Buffer.from(name).toString('base64url')}`
  it.each([
    '',
    '0'.repeat(24),
    'm',
    'dx',
    named('a\r\nA1 LOGOUT'),
    named('a b'),
    named('ü'),
    named('x'.repeat(301)),
    `${named('a@b')}=`,
    `${named('ab')}A`,
    'd1x2',
    '../../etc/passwd',
  ])('is none of ours: %j', (text) => {
    expect(searchFor(text)).toBeUndefined()
  })
})
