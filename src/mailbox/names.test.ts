/** Names as files: nothing that anybody can be called leads out of the folder or into another's mailbox. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededChoice } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { mailboxFile, nameOfMailboxFile } from './names.ts'
import { PostOffice } from './post-office.ts'

const fragments = [
  ...['.', '..', '...', '/', '//', '\\', '/etc/passwd', '../../x', 'a/../../b', './x', 'x/', 'x/.'],
  ...['..\\..\\x', 'C:\\x', 'C:x', '\\\\host\\share', 'file:///x', 'CON', 'nul', 'COM1', 'x.'],
  ...['%', '%%', '%2', '%zz', '%00', '%2e%2e%2f', '%2E%2E%2Fx', '%252e%252e', '%C0%AE%C0%AF'],
  ...['.jsonl', 'x.jsonl', 'x.jsonl.new', '..jsonl', '.new', '.gitignore', '.git', 'positions/x'],
  ...['~', '~root', '-', '--', '-rf', '$HOME', '$(id)', '`id`', 'a;b', 'a|b', 'a&b', 'a>b', '#'],
  ...['*', '?', '[a]', '{a,b}', '"', "'", '!', 'a\tb', '\x1b[31m', '\x7f', '\x01', 'a\u2028b'],
  ...['é', 'e\u0301', 'İ', 'ı', 'ſ', 'ﬁ', '․․／', '．．／', '∕', '＼', '\u202Egpj', '\u200B'],
  ...['📬', '👩‍👩‍👧', '日本', 'A', 'a', 'x ', 'a b', 'a  b', '__proto__', 'x'.repeat(60)],
]
const wrappings: ((name: string) => string)[] = [
  (name) => name,
  (name) => `../${name}`,
  (name) => `${name}/..`,
  (name) => ` ${name}`,
  (name) => `.${name}`,
  (name) => `${name}\\`,
  (name) => encodeURIComponent(name),
]
const hostile = [...new Set(wrappings.flatMap((wrap) => fragments.map(wrap)))]

const refused = [
  ...['', ' ', '\t', '\u00a0', '\uFEFF', '\n', '\r\n', 'a\nb', '../\n', 'a\rb', 'a\0', '\0/../x'],
  ...['\ud800', 'a\udc00', '../\ud83d', 'x'.repeat(300), '../'.repeat(100), '📬'.repeat(50)],
]

describe('hostile names', () => {
  it('are at least 300', () => {
    expect(hostile.length).toBeGreaterThanOrEqual(300)
  })

  it('are each a plain file, which leads back to the name and to no other', () => {
    const files = hostile.map(mailboxFile)
    for (const file of files) expect(file).toMatch(/^(?!\.)[\w.%-]+\.jsonl$/)
    expect(files.map(nameOfMailboxFile)).toEqual(hostile)
    expect(new Set(files).size).toBe(hostile.length)
  })

  it('get their mail inside mailboxes/, each its own, and nothing appears outside', async () => {
    const outer = temporaryFolder()
    const office = new PostOffice(join(outer, 'deep', 'er', '.agentmail'))
    office.create()
    const created_at = '2026-01-01T00:00:00.000Z'
    const rest = { id: 'one', from: 'sender', read_flag: false, created_at }
    for (const to of hostile) await office.mailbox(to).append({ ...rest, to, message: to })

    expect(office.mailboxNames()).toEqual(hostile.toSorted())
    for (const name of hostile) {
      expect((await office.mailbox(name).take())?.message).toBe(name)
      expect(await office.mailbox(name).take()).toBeUndefined()
    }
    const found = readdirSync(outer, { recursive: true, withFileTypes: true })
    const outside = found.filter(
      (entry) => entry.isFile() && entry.parentPath !== office.mailboxesDir,
    )
    expect(new Set(outside.map((entry) => entry.parentPath))).toEqual(
      new Set([office.dir, join(office.dir, 'positions')]),
    )
    expect(readdirSync(office.mailboxesDir).length).toBe(hostile.length)
    expect(readdirSync(dirname(office.dir))).toEqual(['.agentmail'])
  })

  it.each(refused)('%j cannot be a name, and touches nothing', (name) => {
    const office = new PostOffice(join(temporaryFolder(), '.agentmail'))
    expect(() => office.mailbox(name)).toThrow(
      expect.objectContaining({ name: 'AgentMailError', code: 'invalid_request' }),
    )
    expect(existsSync(office.dir)).toBe(false)
  })
})

describe('a random name', () => {
  it('comes back from its file, and never shares it', () => {
    const alphabet = ['.', '/', '%', '2', 'E', 'e', 'F', ' ', '\\', 'a', 'A', 'é', '📬', '\u0301']
    const below = seededChoice()
    const nameByFile = new Map<string, string>()
    const wrong: string[] = []
    for (let round = 0; round < 20_000; round++) {
      const letters = Array.from({ length: 1 + below(8) }, () => alphabet[below(alphabet.length)])
      const name = `${letters.join('')}x`
      const file = mailboxFile(name)
      if (nameOfMailboxFile(file) !== name || (nameByFile.get(file) ?? name) !== name)
        wrong.push(name)
      nameByFile.set(file, name)
    }
    expect(wrong).toEqual([])
    expect(nameByFile.size).toBeGreaterThan(10_000)
  })
})

describe('a file that somebody put into mailboxes/', () => {
  it.each([
    ...['a b.jsonl', '%41.jsonl', '%2e.jsonl', '.jsonl', '.x.jsonl', '...jsonl', 'é.jsonl', 'a'],
    ...['x.JSONL', 'x.jsonl.new', '%.jsonl', '%E0%A4.jsonl', '%ED%A0%80.jsonl', 'a%2fb.jsonl'],
    ...['%00.jsonl', '%0A.jsonl', '%20.jsonl', 'a%0D.jsonl', `${'x'.repeat(240)}.jsonl`],
  ])('is no mailbox if no name opens it: %s', (file) => {
    expect(nameOfMailboxFile(file)).toBeUndefined()
  })
})
