/** A digest is plain lines, few enough to be read, on the day that it is for. */
import { describe, expect, it } from 'vitest'
import { looksLikeHtml } from '../../email/visible-text/visible-text.ts'
import { digestSubject, isOwnDigest } from './digest-subject.ts'
import { digestCounts, digestText, isEmpty, quotedText, sectionOf } from './digest-text.ts'
import { digestTime, isPastTime, localDate, untilTime } from './digest-time.ts'

const none = sectionOf([])
const span = { sinceMs: 0, untilMs: 1, page: '' }

describe('the text of a digest', () => {
  it('has at most fifty lines in a section, and says how many more there are', () => {
    const came = sectionOf(Array.from({ length: 120 }, (_, index) => `mail ${index}`))
    const content = { came, waits: none, left: none, faults: [] }
    const lines = digestText(content, span).split('\n')
    expect(lines).toContain('What came (120)')
    expect(lines.filter((line) => line.startsWith('- mail '))).toHaveLength(50)
    expect(lines).toContain('- and 70 more')
    expect(lines).toContain('Nothing waits for you.')
    expect(digestCounts(content)).toBe('120 came, 0 wait, 0 left')
    expect([isEmpty(content), isEmpty({ ...content, came: none })]).toEqual([false, true])
  })

  it.each([
    'a\r\nBcc: eve@example.com',
    '<!doctype html><body><a href="http://evil.example">x</a>',
    '&lt;b&gt; <b>bold</b>',
    'x\u001b[2J\u202eevil\u2028y\u0000',
    `${'long '.repeat(100)}`,
  ])('is one short line of text for %j', (hostile) => {
    const line = quotedText(hostile)
    expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202e<>&]/u)
    expect(line.length).toBeLessThanOrEqual(100)
    const content = { came: sectionOf([line]), waits: none, left: none, faults: [] }
    expect(looksLikeHtml(digestText(content, span))).toBe(false)
  })

  it('leads to the page where a server runs', () => {
    const content = { came: none, waits: none, left: none, faults: [] }
    expect(digestText(content, { ...span, page: 'http://127.0.0.1:8391/' })).toContain(
      'http://127.0.0.1:8391/#/*/approvals',
    )
  })
})

describe('the subject of a digest', () => {
  it('is known to its own vault, and to no other', () => {
    const subject = digestSubject('vault-1', '2026-11-18', '1 came, 2 wait, 0 left')
    expect(isOwnDigest(subject, 'vault-1')).toBe(true)
    expect(isOwnDigest(` ${subject} `, 'vault-1')).toBe(true)
    for (const other of [`Re: ${subject}`, subject.replace('-18', '-19'), `${subject} x`]) {
      expect(isOwnDigest(other, 'vault-1')).toBe(false)
    }
    expect(isOwnDigest(subject, 'vault-2')).toBe(false)
  })
})

describe('the time of a digest', () => {
  it.each([
    ['18:00', 1080],
    ['7:05', 425],
    ['00:00', 0],
    ['now', 'now'],
  ])('is %s', (text, time) => expect(digestTime(text)).toBe(time))

  it.each(['', '24:00', '18', '18:60', '6pm', '18:0', '-1:00', '18:00:00'])('is not %j', (text) => {
    expect(() => digestTime(text)).toThrow('--digest must be a time of the day')
  })

  it('is in local time', () => {
    const at = new Date(2026, 10, 18, 17, 59, 59).getTime()
    expect([isPastTime(1080, at), isPastTime(1080, at + 1000), localDate(at)]).toEqual([
      ...[false, true],
      '2026-11-18',
    ])
  })
})

describe('the wait for a time of the day', () => {
  const at = (time: string) => new Date(`2026-11-18T${time}:00`).getTime()
  it.each([
    ['17:59', 1],
    ['18:00', 24 * 60],
    ['18:01', 24 * 60 - 1],
    ['00:00', 18 * 60],
  ])('at %s is until it comes next', (now, minutes) => {
    expect(untilTime(18 * 60, at(now))).toBe(minutes * 60_000)
  })
})
