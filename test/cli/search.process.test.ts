/** agentmail search: over messages, changes and mailboxes, whatever of them there is. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../support/agentmail.ts'
import { openAgent, openPlace, type Place, ways } from '../support/coordination/coordination.ts'
import { git, repository } from '../support/mailbox/tmux.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const answerSchema = z.strictObject({
  results: z.array(
    z.strictObject({
      id: z.union([z.number(), z.string()]),
      kind: z.enum(['message', 'change', 'mailbox']),
      at: z.string().nullable(),
      agent: z.string(),
      channel: z.string().nullable(),
      text: z.string(),
    }),
  ),
  has_more: z.boolean(),
})

async function search(place: Pick<Place, 'json'>, ...args: string[]) {
  return answerSchema.parse(await place.json(['search', ...args]))
}
const told = async (place: Pick<Place, 'json'>, ...args: string[]) =>
  (await search(place, ...args)).results.map(({ kind, text }) => `${kind}: ${text}`)

const mailboxes = (folder: string) => join(folder, '.agentmail/mailboxes')

/** Puts a line into a mailbox, as another program might. */
function mail(folder: string, to: string, mailed: object | string): void {
  mkdirSync(mailboxes(folder), { recursive: true })
  const line = typeof mailed === 'string' ? mailed : JSON.stringify({ from: 'eve', ...mailed })
  appendFileSync(join(mailboxes(folder), `${to}.jsonl`), `${line}\n`)
}

describe.each(ways)('through %s', (way) => {
  it('finds messages, changes and mail as one list, newest first', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    mail(place.repository, 'bob', {
      id: 'old',
      message: 'the oldest Word',
      created_at: '2020-01-01T00:00:00Z',
    })
    await ann.call('send_message', { channel: 'dev', subject: 'Subject', body: 'a word' })
    await ann.call('announce_change', { file_path: 'src/a.ts', summary: 'new wording' })
    const later = new Date(Date.now() + 60_000).toISOString()
    mail(place.repository, 'bob', {
      id: 'new',
      message: 'the newest word',
      created_at: later,
      read_flag: true,
    })

    expect(await search(place, 'WORD')).toEqual({
      results: [
        {
          id: 'new',
          kind: 'mailbox',
          at: later.replace('Z', '000Z'),
          agent: 'eve',
          channel: '@bob',
          text: 'the newest word',
        },
        {
          id: 1,
          kind: 'change',
          at: expect.any(String),
          agent: 'ann',
          channel: null,
          text: 'src/a.ts\nnew wording',
        },
        {
          id: 1,
          kind: 'message',
          at: expect.any(String),
          agent: 'ann',
          channel: 'dev',
          text: 'Subject\na word',
        },
        {
          id: 'old',
          kind: 'mailbox',
          at: '2020-01-01T00:00:00.000000Z',
          agent: 'eve',
          channel: '@bob',
          text: 'the oldest Word',
        },
      ],
      has_more: false,
    })
    const newest = 'mailbox: the newest word'
    const [change, message] = ['change: src/a.ts\nnew wording', 'message: Subject\na word']
    expect(await told(place, 'word', '--since', '5m')).toEqual([newest, change, message])
    expect(await told(place, 'word', '--since', '2030-01-01')).toEqual([])
    expect(await told(place, 'word', '--agent', 'ann')).toEqual([change, message])
    expect(await told(place, 'word', '--agent', ann.id, '--channel', 'dev')).toEqual([message])
    expect(await told(place, 'word', '--channel', '@bob')).toEqual([
      newest,
      'mailbox: the oldest Word',
    ])
    expect(await told(place, 'word', 'new')).toEqual([newest, change])
    expect(await told(place, 'newest word')).toEqual([newest])
    expect(await told(place, 'word newest')).toEqual([])
    const first = await search(place, 'word', '--limit', '2')
    expect(first).toMatchObject({ results: [{ id: 'new' }, { kind: 'change' }], has_more: true })
    expect((await search(place, 'word', '--limit', '4')).has_more).toBe(false)
  })

  it('shows a line each, cut around the first hit, that steers no terminal', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    await ann.say('Subject', `${'before '.repeat(50)}\u001b[2Jneedle 🚀\r\n${'after '.repeat(50)}`)
    const { stdout, exitCode } = await place.run(['search', 'NEEDLE'], { env: { TZ: 'UTC' } })
    const [head, found, ...rest] = stdout.split('\n')
    expect({ exitCode, head: head?.split(/ {2,}/), rest }).toEqual({
      exitCode: 0,
      head: ['TIME', 'KIND', 'ID', 'AGENT', 'CHANNEL', 'TEXT'],
      rest: [''],
    })
    expect(found).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}message {2}#1 {2}ann {4}broadcast {2}….*before \ufffd\[2Jneedle 🚀 after .*…$/,
    )
    expect(found?.length).toBeLessThan(180)
    expect((await place.run(['search', 'nowhere'])).stdout).toBe('Nothing was found\n')
    const more = await place.run(['search', 'before', '--limit', '1'])
    expect(more.stderr).toBe('')
    await ann.say('again', 'before')
    const some = await place.run(['search', 'before', '--limit', '1'])
    expect(some.stderr).toMatch(/^There is more: /)
  })

  it('is refused with words', async () => {
    const place = await openPlace(way)
    const refusals: [args: string[], words: RegExp][] = [
      [[], /^error: search for what\?\n/],
      [[' ', ''], /^error: search for what\?\n/],
      [['x'.repeat(10_000)], /^error: words must be at most 100, and 1000 characters in all\n/],
      [['a', '--limit', '501'], /^error: limit must be a whole number from 1 to 500\n/],
      [['a', '--since', 'soon'], /^error: --since: "soon" is no time\n.*yesterday/],
      [['a', '--channel', 'x'.repeat(300)], /^error: channel must be at most 255 characters\n/],
    ]
    for (const [args, words] of refusals) {
      const { stdout, stderr, exitCode } = await place.run(['search', ...args])
      expect({ args, stdout, exitCode }).toEqual({ args, stdout: '', exitCode: 1 })
      expect(stderr).toMatch(words)
    }
  })
})

describe('where there is only a part of it', () => {
  const run = (cwd: string) => ({
    json: async (args: string[]) => {
      const { stdout, stderr } = await agentmail([...args, '--json'], { cwd })
      return JSON.parse(stdout || `{"stderr": ${JSON.stringify(stderr)}}`)
    },
  })

  it('searches mailboxes without a database, and makes none', async () => {
    const folder = repository()
    expect(await told(run(folder), 'word')).toEqual([])
    expect(existsSync(join(folder, '.agentmail'))).toBe(false)
    mail(folder, 'bob', { id: '1', message: 'word' })
    mail(folder, 'bob', { id: '2', message: 'WORD two', created_at: '2026-01-01T01:00:00+01:00' })
    mail(folder, 'bob', '{"id": "damaged", "message": "word')
    mail(folder, 'bob', '["word"]')
    mail(folder, 'ann', { id: '3', message: 'word three', created_at: '2026-01-01T00:00:01Z' })
    mail(folder, 'ann', { id: '4', message: 'word four', created_at: 'no time' })
    appendFileSync(
      join(mailboxes(folder), 'ann.jsonl'),
      '{"id":"5","from":"eve","message":"word, cut sh',
    )
    const before = readFileSync(join(mailboxes(folder), 'bob.jsonl'))
    const { results } = await search(run(folder), 'word')
    expect(results.map(({ id, at }) => [id, at])).toEqual([
      ['3', '2026-01-01T00:00:01.000000Z'],
      ['2', '2026-01-01T00:00:00.000000Z'],
      ['1', null],
      ['4', null],
    ])
    expect((await search(run(folder), 'word', '--limit', '2')).has_more).toBe(true)
    expect(await told(run(folder), 'word', '--since', '2025-01-01')).toHaveLength(2)
    expect(readFileSync(join(mailboxes(folder), 'bob.jsonl'))).toEqual(before)
    git(folder, 'add', '--force', '.agentmail')
    const brought = await agentmail(['search', 'word'], { cwd: folder })
    expect(brought).toMatchObject({ stdout: '', stderr: expect.stringMatching(/git tracks files/) })
    expect(existsSync(join(folder, '.agentmail/agentmail.db'))).toBe(false)
  })

  it('searches coordination alone outside a repository', async () => {
    const cwd = temporaryFolder()
    const db = join(cwd, 'some.db')
    const post = ['post', 'Subject', 'word', '--as', 'ann', '--db', db]
    expect((await agentmail(post, { cwd })).exitCode).toBe(0)
    expect(await told(run(cwd), 'word', '--db', db)).toEqual(['message: Subject\nword'])
  })

  it('gives in part what another program wrote too long', async () => {
    const folder = repository()
    for (let n = 0; n < 30; n++)
      mail(folder, 'bob', { id: String(n), message: `word ${'x'.repeat(1e6)}` })
    writeFileSync(join(mailboxes(folder), 'not a mailbox'), 'word')
    const { results } = await search(run(folder), 'word')
    expect(results.map(({ text }) => text.length)).toEqual(Array(30).fill(65_536))
  })
})
