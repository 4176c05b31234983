/** What one mailbox does with whatever stands in its file. */
import { describe, expect, it } from 'vitest'
import { line, linesIn, messageWith, openMailbox } from '../../test/support/mailbox/open-mailbox.ts'
import { maxMessageBytes } from './message.ts'

describe('a last line without its newline', () => {
  const torn = line('torn').slice(0, 40)

  it('is kept, reported at each meeting and passed over', async () => {
    const { damageMet, text, mailbox } = openMailbox(line('a') + torn)
    const met = [{ offset: line('a').length, reason: 'cut short' }]
    expect(await damageMet()).toEqual({ id: 'a', met: [] })
    expect(await damageMet()).toEqual({ id: undefined, met })
    expect(await damageMet()).toEqual({ id: undefined, met })
    expect(text().endsWith(torn)).toBe(true)
    expect(mailbox.newestUnread()).toBeUndefined()
    expect(mailbox.inspect().damaged).toEqual([{ ...met[0], number: 2 }])
  })

  it('is followed by a line of its own when a message is appended', async () => {
    const { mailbox, damageMet, text } = openMailbox(torn)
    await mailbox.append(messageWith('b'))
    expect(text()).toBe(`${torn}\n${line('b')}`)
    expect(await damageMet()).toEqual({ id: 'b', met: [{ offset: 0, reason: 'not a message' }] })
    expect(await damageMet()).toEqual({ id: undefined, met: [] })
  })

  it('waits though it is a whole message, and comes first once something follows it', async () => {
    const { mailbox, takeId, takeAll } = openMailbox(line('a') + line('whole').trimEnd())
    expect(await takeAll()).toEqual(['a'])
    expect(await takeId()).toBeUndefined()
    await mailbox.append(messageWith('b'))
    expect(await takeAll()).toEqual(['whole', 'b'])
  })

  it('stays as it is when what was read is removed', async () => {
    const { mailbox, text } = openMailbox(line('a') + torn)
    await mailbox.take()
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: false })
    expect(text()).toBe(torn)
  })
})

describe('lines that are no message', () => {
  it.each([
    ...['not json', '{"id":"x"', '[]', 'null', '42', '"text"', '{}', '\0\0\0\0', '\uFFFD{'],
    ...['{"id":1,"from":"a","message":"b"}', '{"id":"a","from":"b"}', `${line('x').trim()}}`],
  ])('are reported, passed over and kept: %j', async (garbage) => {
    const { mailbox, damageMet, text } = openMailbox(`${line('a')}${garbage}\n${line('b')}`)
    expect(mailbox.inspect()).toMatchObject({ unread: 2, damaged: [{ number: 2 }] })
    expect(await damageMet()).toEqual({ id: 'a', met: [] })
    const met = [{ offset: line('a').length, reason: 'not a message' }]
    expect(await damageMet()).toEqual({ id: 'b', met })
    expect(await damageMet()).toEqual({ id: undefined, met: [] })
    await mailbox.compact(() => true)
    expect(text()).toBe(`${garbage}\n`)
  })

  it('are nothing to report when they are blank', async () => {
    const { mailbox, damageMet } = openMailbox(`\n \t\r\n${line('a')}\n\n${line('b')}\r\n`)
    expect(mailbox.inspect()).toEqual({ unread: 2, damaged: [] })
    expect(await damageMet()).toEqual({ id: 'a', met: [] })
    expect(await damageMet()).toEqual({ id: 'b', met: [] })
    expect(await damageMet()).toEqual({ id: undefined, met: [] })
  })
})

describe('a line that another program wrote', () => {
  const flagTexts = [
    '"read_flag":false',
    '"read_flag":true ,"created_at":"2026-01-01T00:00:00.000Z"}',
  ]
  const own = '"id":"x","from":"a","message":"b"'
  const nested = '{"read_flag":true ,"created_at":"2026-01-01T00:00:00.00Z"}'

  it.each([
    ['has spaces, as Python does', '{"id": "x", "from": "a", "message": "b", "read_flag": false}'],
    ['has its keys in another order', '{"read_flag":false,"message":"b","from":"a","id":"x"}'],
    ['ends with CR LF', `${line('x').trim()}\r`],
    ['has white space around it', `  \t{ ${own} , "read_flag" : false }  `],
    ['has no read_flag', `{${own}}`],
    ['has null for its read_flag', `{${own},"read_flag":null}`],
    ['has a text for its read_flag', `{${own},"read_flag":"true"}`],
    ['has its read_flag twice, the last unread', `{"read_flag":true,${own},"read_flag":false}`],
    ['spells its read_flag with an escape', `{${own},"read\\u005fflag":false}`],
    ['has the word read_flag as a value', `{${own},"subject":"read_flag","read_flag":false}`],
    ['holds an object with a read_flag', `{"a":{"read_flag":true},${own},"read_flag":false}`],
    ['holds a list of such objects', `{${own},"a":[{"read_flag":false}],"read_flag":false}`],
    ['holds an object with the only read_flag', `{${own},"a":{"read_flag":false}}`],
    ['ends with an object that looks read', `{${own},"a":${nested}}`],
    ['ends with a key that looks like ours', `{${own},"\\${flagTexts[1]}`],
  ])('is unread once, then read, when it %s', async (_, text) => {
    const box = openMailbox(`${line('first')}${text}\n${line('last')}`)
    const before = JSON.parse(text)
    expect(await box.takeAll()).toEqual(['first', 'x', 'last'])
    const [, after = ''] = linesIn(box.text())
    expect(JSON.parse(after)).toEqual({ ...before, read_flag: true })
    expect(box.mailbox.inspect()).toEqual({ unread: 0, damaged: [] })
  })

  it.each([
    ['spaces', `{${own}, "read_flag": true}`],
    ['its keys in another order', `{"read_flag":true,${own}}`],
    ['its read_flag twice, the last read', `{"read_flag":false,${own},"read_flag":true}`],
  ])('stays read when it has %s', async (_, text) => {
    const { takeAll } = openMailbox(`${text}\n${line('last')}`)
    expect(await takeAll()).toEqual(['last'])
  })

  it('never blocks the mailbox, however many escapes it has', async () => {
    const quotes = '\\"'.repeat(5_000_000)
    const { takeAll } = openMailbox(
      `{"id":"x","from":"a","message":"${quotes}","read_flag":false}\n${line('last')}`,
    )
    expect(await takeAll()).toEqual(['x', 'last'])
  })

  it('does not hide an older one: the oldest unread comes first', async () => {
    const seen = { read_flag: true }
    const mixed = [line('a', seen), line('b'), line('c', seen), line('d'), line('e', seen)]
    const { takeAll } = openMailbox(mixed.join(''))
    expect(await takeAll()).toEqual(['b', 'd'])
  })
})

describe('a text', () => {
  it.each([
    ['the words of an unread flag', '"read_flag":false'],
    ['the words of a read flag', '"read_flag":true ,"created_at":"2026-01-01T00:00:00.000Z"}'],
    ['braces, quotes and backslashes', '{"a":[\\"\\\\"}\\u0022}\\'],
    ['line breaks of every kind', 'a\nb\r\nc\u2028d\u2029e\u0085f\vg'],
    ['emoji and other scripts', '📬 日本語 🏴‍☠️ é e\u0301 \u202E'],
    ['half of a character', 'a\ud83db'],
    ['control characters', '\x01\x1b[31m\x7f'],
    ['64 KB', 'x'.repeat(maxMessageBytes)],
    ['64 KB of what has to be escaped', '"'.repeat(maxMessageBytes)],
    ['64 KB of emoji', '📬'.repeat(maxMessageBytes / 4)],
  ])('comes out as it went in when it holds %s, and its line is one line', async (_, text) => {
    const box = openMailbox()
    await box.mailbox.append(messageWith('a', { message: text, from: text.slice(0, 80) }))
    await box.mailbox.append(messageWith('b'))
    const taken = await box.mailbox.take()
    expect(taken).toEqual(messageWith('a', { message: text, from: text.slice(0, 80) }))
    expect(linesIn(box.text()).map((one) => JSON.parse(one).read_flag)).toEqual([true, false])
    expect(await box.takeAll()).toEqual(['b'])
  })
})

describe('what waits up to a message', () => {
  it('leaves out what came later, and is nothing once that message was read', async () => {
    const { mailbox } = openMailbox(line('a') + line('b') + line('c'))
    expect(mailbox.unreadUpTo('b')).toEqual(['a', 'b'])
    await mailbox.take()
    expect(mailbox.unreadUpTo('b')).toEqual(['b'])
    await mailbox.take()
    expect(mailbox.unreadUpTo('b')).toEqual([])
  })
})

describe('the newest of a mailbox', () => {
  const all = ['a', 'b', 'c', 'd']
  const text = all.map((id) => line(id)).join('')
  const ids = (content: string, lines: number, bytes = 1 << 20) =>
    openMailbox(content)
      .mailbox.newest({ lines, bytes })
      .map(({ id }) => id)

  it('are those on its last lines, oldest first', () => {
    for (const [count, expected] of [
      [1, ['d']],
      [3, ['b', 'c', 'd']],
      [4, all],
      [9, all],
    ] as const) {
      expect(ids(text, count)).toEqual(expected)
    }
    expect(ids('', 3)).toEqual([])
    expect(openMailbox().mailbox.newest({ lines: 3, bytes: 9 })).toEqual([])
  })

  it('are fewer where they are long, and never half of one', () => {
    const bytes = Buffer.byteLength(line('d'))
    expect(ids(text, 4, bytes)).toEqual([])
    expect(ids(text, 4, bytes + 1)).toEqual(['d'])
    expect(ids(text, 4, 3 * bytes)).toEqual(['c', 'd'])
    expect(ids(text + line('e').slice(0, 20), 2)).toEqual(['d'])
    expect(ids(`${'x'.repeat(200_000)}\n${text}`, 5)).toEqual(all)
  })

  it('is found by its id, read or not', async () => {
    const { mailbox } = openMailbox(text + line('b', { message: 'later' }))
    await mailbox.take()
    expect(mailbox.find('a')).toMatchObject({ id: 'a', read_flag: true })
    expect(mailbox.find('b')).toMatchObject({ message: 'later' })
    expect(mailbox.find('hello')).toBeUndefined()
  })
})
