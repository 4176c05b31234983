/** What one mailbox does with whatever stands in its file. */
import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ended, startWorker, worker } from '../../test/support/agentmail.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { type DamagedLine, Mailbox } from './mailbox.ts'
import { lineOf, type Message, maxMessageBytes } from './message.ts'
import { PostOffice } from './post-office.ts'

function openMailbox(content?: string) {
  const folder = temporaryFolder()
  const path = join(folder, 'reader.jsonl')
  const positionPath = join(folder, 'position')
  if (content !== undefined) writeFileSync(path, content)
  const mailbox = new Mailbox({ path, positionPath })
  const takeId = async () => (await mailbox.take())?.id
  /** Everything that is still to come, by id. */
  const takeAll = async () => {
    const ids: string[] = []
    for (let id = await takeId(); id !== undefined; id = await takeId()) ids.push(id)
    return ids
  }
  /** The damage that one call of `take` meets. */
  const damageMet = async () => {
    const met: DamagedLine[] = []
    const taken = await mailbox.take((line) => met.push(line))
    return { id: taken?.id, met }
  }
  return { folder, path, positionPath, mailbox, takeId, takeAll, damageMet, text: () => read(path) }
}

const read = (path: string) => readFileSync(path, 'utf8')

const messageWith = (id: string, more: Partial<Message> = {}): Message => ({
  ...{ id, from: 'sender', to: 'reader', message: 'hello', read_flag: false },
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
})

const line = (id: string, more?: Partial<Message>) => lineOf(messageWith(id, more)).toString()

const makePipe = (path: string) => execFileSync('/usr/bin/env', ['mkfifo', path])

const linesIn = (text: string) => text.split('\n').slice(0, -1)

const refusal = expect.objectContaining({ name: 'AgentMailError', code: 'storage' })

describe('a last line without its newline', () => {
  const torn = line('torn').slice(0, 40)

  it('is kept, reported at each meeting and passed over', async () => {
    const { damageMet, text, mailbox } = openMailbox(line('a') + torn)
    const met = [{ offset: line('a').length, reason: 'cut short' }]
    expect(await damageMet()).toEqual({ id: 'a', met: [] })
    expect(await damageMet()).toEqual({ id: undefined, met })
    expect(await damageMet()).toEqual({ id: undefined, met })
    expect(text().endsWith(torn)).toBe(true)
    expect(mailbox.hasUnread()).toBe(false)
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

describe('the remembered position', () => {
  /** Sets the flag of a message that AgentMail marked back to unread, without moving a byte. */
  function unread(path: string, id: string): void {
    const bytes = readFileSync(path)
    bytes.write('false', bytes.indexOf('true ,', bytes.indexOf(`"id":"${id}"`)))
    writeFileSync(path, bytes)
  }

  const three = line('a') + line('b') + line('c')

  it('gives way when a read message is set back to unread', async () => {
    const { path, takeAll } = openMailbox(three)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    unread(path, 'b')
    expect(await takeAll()).toEqual(['b'])
  })

  it('gives way when another program appends or writes the file anew', async () => {
    const { path, takeAll, mailbox } = openMailbox(three)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    appendFileSync(path, line('d'))
    expect(mailbox.hasUnread()).toBe(true)
    expect(await takeAll()).toEqual(['d'])
    writeFileSync(path, line('e') + three.replaceAll('false', 'true '))
    expect(await takeAll()).toEqual(['e'])
  })

  it('holds beside appends, of which none is passed over', async () => {
    const { mailbox, takeId, positionPath } = openMailbox(three)
    expect(await takeId()).toBe('a')
    const before = read(positionPath).split(' ')[1]
    await mailbox.append(messageWith('d'))
    expect(read(positionPath).split(' ')[1]).toBe(before)
    expect([await takeId(), await takeId(), await takeId()]).toEqual(['b', 'c', 'd'])
  })

  it.each(['', '\0\0\0', 'nonsense', 'a 5', '1:2:3:4:5 -7', ' '])(
    'counts for nothing when its file reads %j',
    async (text) => {
      const { positionPath, takeAll } = openMailbox(three)
      writeFileSync(positionPath, text)
      expect(await takeAll()).toEqual(['a', 'b', 'c'])
    },
  )

  it('is not written through a link', async () => {
    const { folder, positionPath, takeAll } = openMailbox(three)
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, positionPath)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    expect(read(victim)).toBe('precious')
  })

  it('is not needed: mail comes though it cannot be kept', async () => {
    const { positionPath, mailbox, takeAll } = openMailbox(three)
    mkdirSync(positionPath)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    expect(await mailbox.compact(() => true)).toEqual({ messages: 3, removed: true })
  })

  it('is not waited for when a pipe stands in its place', async () => {
    const office = new PostOffice(temporaryFolder())
    office.create()
    await office.mailbox('reader').append(messageWith('a'))
    const positionPath = join(office.dir, 'positions', 'reader.jsonl')
    rmSync(positionPath, { force: true })
    makePipe(positionPath)
    const child = startWorker('mailbox', [office.dir, 'reader', 'receive'])
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.end('go\n')
    expect(await ended(child)).toMatchObject({ stdout: 'ready\na\n', exitCode: 0 })
  })
})

describe('a mailbox that is not a file', () => {
  const kinds: Record<string, (path: string) => void> = {
    link: (path) => {
      writeFileSync(`${path}.target`, line('a'))
      symlinkSync(`${path}.target`, path)
    },
    'link to nothing': (path) => symlinkSync(`${path}.nothing`, path),
    folder: (path) => mkdirSync(path),
    pipe: makePipe,
  }

  it.each(Object.keys(kinds))('is refused and not waited for: a %s', async (kind) => {
    const { folder, path, mailbox } = openMailbox()
    kinds[kind]?.(path)
    const before = readdirSync(folder)
    await expect(mailbox.append(messageWith('b'))).rejects.toEqual(refusal)
    await expect(mailbox.take()).rejects.toEqual(refusal)
    await expect(mailbox.compact(() => true)).rejects.toEqual(refusal)
    expect(() => mailbox.hasUnread()).toThrow(refusal)
    expect(() => mailbox.inspect()).toThrow(refusal)
    expect(readdirSync(folder)).toEqual(before)
    if (kind === 'link') expect(read(`${path}.target`)).toBe(line('a'))
  })

  it('is refused in the same words when its folder is a file', async () => {
    const { path: parent } = openMailbox('')
    const mailbox = new Mailbox({
      path: join(parent, 'x.jsonl'),
      positionPath: `${parent}.position`,
    })
    await expect(mailbox.append(messageWith('b'))).rejects.toEqual(refusal)
    await expect(mailbox.take()).rejects.toEqual(refusal)
    expect(() => mailbox.hasUnread()).toThrow(refusal)
    expect(() => mailbox.inspect()).toThrow(refusal)
  })

  it('is empty when it is missing, and looking does not create it', async () => {
    const { folder, mailbox, takeId } = openMailbox()
    expect(await takeId()).toBeUndefined()
    expect(mailbox.hasUnread()).toBe(false)
    expect(mailbox.inspect()).toEqual({ unread: 0, damaged: [] })
    expect(await mailbox.compact(() => true)).toEqual({ messages: 0, removed: false })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the files of a mailbox', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777

  it('are readable by their owner only, also after they were written anew', async () => {
    const { path, positionPath, mailbox, takeAll } = openMailbox()
    await mailbox.append(messageWith('a'))
    expect(modeOf(path)).toBe(0o600)
    appendFileSync(path, '{"id":"x","from":"a","message":"b"}\n')
    expect(await takeAll()).toEqual(['a', 'x'])
    expect([modeOf(path), modeOf(positionPath)]).toEqual([0o600, 0o600])
  })

  it('are gone when everything in them was removed', async () => {
    const { folder, mailbox } = openMailbox(line('a'))
    await mailbox.take()
    expect(await mailbox.compact(() => true, true)).toEqual({ messages: 1, removed: true })
    expect(readdirSync(folder)).toEqual(['position', 'reader.jsonl'])
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: true })
    expect(readdirSync(folder)).toEqual([])
  })

  it('keep unread messages, whatever is called old', async () => {
    const { mailbox, takeAll, path } = openMailbox(line('a') + line('b') + line('c'))
    await mailbox.take()
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: false })
    expect(existsSync(`${path}.new`)).toBe(false)
    expect(await takeAll()).toEqual(['b', 'c'])
  })

  it('survive what a killed cleanup left beside them', async () => {
    const { folder, path, mailbox, takeAll } = openMailbox(line('a') + line('b'))
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, `${path}.new`)
    await mailbox.take()
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: false })
    expect(await takeAll()).toEqual(['b'])
    expect(read(victim)).toBe('precious')
  })
})

describe('a full disk', () => {
  it('leaves nothing half written, says so, and is over when there is room again', async () => {
    const office = new PostOffice(temporaryFolder())
    office.create()
    const path = join(office.mailboxesDir, 'reader.jsonl')
    const limited = ['-c', 'ulimit -f 100; exec "$@"', 'bash', process.execPath]
    const child = spawn('bash', [...limited, worker('mailbox'), office.dir, 'reader', 'send'])
    child.stdin.write('go\n')
    const { stdout, stderr, exitCode } = await ended(child)
    const acknowledged = linesIn(stdout).slice(1)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('the post office could not be read or written (EFBIG)')
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(linesIn(read(path)).map((one) => JSON.parse(one).id)).toEqual(acknowledged)
    expect(read(path).endsWith('\n')).toBe(true)

    await office.mailbox('reader').append(messageWith('later'))
    expect((await office.mailbox('reader').take())?.id).toBe(acknowledged[0])
    expect(office.mailbox('reader').inspect()).toEqual({ unread: acknowledged.length, damaged: [] })
  })
})
