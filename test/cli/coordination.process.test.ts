/** The coordination commands: the same answers from a running server and from the database itself. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openSqlite } from '../../src/store/sqlite.ts'
import { binary, plainEnv } from '../support/agentmail.ts'
import {
  historySchema,
  messagesOf,
  openAgent,
  openPlace,
  type Place,
  subjectsOf,
  ways,
} from '../support/coordination/coordination.ts'
import { calledOfOld } from '../support/coordination/old-names.ts'
import { addAgents, addClaims } from '../support/store/many-rows.ts'

const allClaims = z.strictObject({ claims: z.array(z.object({ file_path: z.string() })) })
const allAgents = z.strictObject({ agents: z.array(z.object({ name: z.string() })) })

const anyId = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

/** What was printed, with times and ids that are the same in every run. */
const told = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'yyyy-mm-dd hh:mm:ss')

async function expectRefusal(place: Place, args: string[], words: string | RegExp) {
  const { stdout, stderr, exitCode } = await place.run(args)
  expect.soft([args, stdout, exitCode]).toEqual([args, '', 1])
  expect.soft(stderr.split('\n')[0]).toMatch(words)
}

describe.each(ways)('--json, through %s', (way) => {
  it('gives claims, and exit code 1 on a conflict', async () => {
    const { json, run } = await openPlace(way)
    expect(await json(['claim', './src//a.ts', 'b.ts', '--as', 'ann'])).toEqual({
      claimed: ['./src//a.ts', 'b.ts'],
      conflicts: [],
    })
    const second = await run(['claim', 'c.ts', 'src/a.ts', '--as', 'bob', '--json'])
    expect(second).toMatchObject({ stderr: '', exitCode: 1 })
    const conflict = { file: 'src/a.ts', held_by: anyId, holder_name: 'ann', claimed_at: anyTime }
    expect(JSON.parse(second.stdout)).toEqual({ claimed: ['c.ts'], conflicts: [conflict] })
    const { held_by, claimed_at } = JSON.parse(second.stdout).conflicts[0]
    expect(await json(['claims', 'src/a.ts', 'free.ts'])).toEqual({
      claims: [{ file_path: 'src/a.ts', agent_id: held_by, claimed_at, holder_name: 'ann' }],
    })
    const times = { registered_at: anyTime, last_seen: anyTime, last_heard: anyTime }
    const rest = { where: 'outside tmux', state: null, unread: 0, ...times }
    expect(await json(['agents'])).toEqual({
      agents: [
        { agent_id: held_by, name: 'ann', role: 'person', claims: 2, ...rest },
        { agent_id: anyId, name: 'bob', role: 'person', claims: 1, ...rest },
      ],
    })
    expect(await json(['release', 'b.ts', 'c.ts', 'free.ts', '--as', 'ann'])).toEqual({
      released: ['b.ts'],
    })
  })

  it('gives messages and changes, a page at a time', async () => {
    const { json } = await openPlace(way)
    const read = (...args: string[]) => json(['messages', ...args])
    expect(await json(['post', 'first', 'one\ntwo', '--as', 'ann'])).toEqual({ message_id: 1 })
    await json(['post', 'second', 'x', '--channel', 'builds', '--as', 'ann'])
    await json(['post', 'third', 'x', '--as', 'bob'])
    const all = await read()
    const [first] = messagesOf(all)
    expect(all).toEqual({ messages: messagesOf(all), has_more: false })
    expect(first).toEqual({
      id: 1,
      sender_id: anyId,
      sender_name: 'ann',
      channel: 'broadcast',
      subject: 'first',
      body: 'one\ntwo',
      created_at: anyTime,
    })
    expect(subjectsOf(await read('--channel', 'builds'))).toEqual(['second'])
    expect(subjectsOf(await read('--since', first?.created_at ?? ''))).toEqual(['second', 'third'])
    const newest = await read('--limit', '1')
    expect([subjectsOf(newest), newest]).toMatchObject([['third'], { has_more: true }])

    expect(await json(['announce', './a.ts', 'old', '--as', 'ann'])).toEqual({ change_id: 1 })
    await json(['announce', 'b.ts', 'new', '--as', 'bob'])
    const change = { id: 2, agent_id: anyId, file_path: 'b.ts', summary: 'new' }
    const ofBob = { changes: [{ ...change, announced_at: anyTime }], has_more: false }
    expect(await json(['changes', '--agent', 'bob'])).toEqual(ofBob)
    expect(await json(['changes', '--after-id', '1'])).toEqual(ofBob)
  })

  it('gives all claims and all agents, however many pages they are', async () => {
    const { json, run, database, project } = await openPlace(way)
    await json(['claim', 'first.ts', '--as', 'ann'])
    const store = await openSqlite(database)
    const ids = await addAgents(store, 700, Date.now(), project)
    await addClaims(store, 1200, (n) => ids[n % ids.length] ?? '', undefined, project)
    await store.close()
    const { claims } = allClaims.parse(await json(['claims']))
    const paths = claims.map(({ file_path }) => file_path)
    expect(new Set(paths).size).toBe(1201)
    expect(paths).toEqual(paths.toSorted())
    const lines = (await run(['claims'])).stdout.trim().split('\n')
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['FILE', ...paths])
    const { agents } = allAgents.parse(await json(['agents']))
    expect(agents.map(({ name }) => name)).toEqual([
      ...ids.map((_, index) => `name ${index + 1}`),
      'ann',
    ])
  })

  it('gives more than a pipe holds whole, to a slow reader', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    const body = `${'line of text\n'.repeat(5000)}end`
    for (const subject of ['1', '2', '3', '4', '5']) await ann.say(subject, body)
    const script = `'${process.execPath}' '${binary}' history --json | (sleep 0.3; cat)`
    const options = { cwd: place.repository, env: plainEnv(place.env), maxBuffer: 1 << 24 }
    const history = JSON.parse(execFileSync('sh', ['-c', script], options).toString('utf8'))
    expect(historySchema.parse(history).map(({ text }) => text)).toEqual([
      'coder',
      ...[1, 2, 3, 4, 5].map((subject) => `[broadcast] ${subject}\n${body}`),
    ])
  })

  it('tells on stderr what is refused, in the same words', async () => {
    const place = await openPlace(way)
    const refusals: [args: string[], words: string | RegExp][] = [
      [['messages', '--limit', '0'], 'error: limit must be a whole number from 1 to 500'],
      [['messages', '--channel', 'x'.repeat(256)], 'error: channel must be at most 255 characters'],
      [['changes', '--limit', '501'], 'error: limit must be a whole number from 1 to 500'],
      [['messages', '--since', 'soon'], 'error: --since: "soon" is no time'],
      [['history', '--as-of', 'soon'], /^error: parsing as-of timestamp: "soon" is not/],
      [['claim', '../out.ts', '--as', 'ann'], 'error: path "../out.ts" is outside the project'],
    ]
    for (const [args, words] of refusals) {
      await expectRefusal(place, args, words)
      const { stdout, stderr, exitCode } = await place.run([...args, '--json'])
      expect.soft([args, stdout, exitCode]).toEqual([args, '', 1])
      expect.soft(`error: ${JSON.parse(stderr).message}`).toMatch(words)
    }
    expect(await place.json(['agents'])).toEqual({ agents: [] })
    expect(await place.json(['messages'])).toEqual({ messages: [], has_more: false })
  })
})

describe('for people', () => {
  it('says so where there is nothing yet', async () => {
    const { run } = await openPlace('the database itself')
    const words = {
      agents: 'No agents are registered',
      messages: 'No messages',
      changes: 'No changes',
      claims: 'No claims',
      history: 'Nothing is recorded',
    }
    for (const [command, said] of Object.entries(words)) {
      expect(await run([command])).toMatchObject({ stdout: `${said}\n`, stderr: '', exitCode: 0 })
    }
  })

  it('tells who holds which files, in tables', async () => {
    const { run } = await openPlace('the database itself')
    const first = await run(['claim', 'src/a.ts', 'b.ts', '--as', 'a long name', '--role', 'bot'])
    expect(first).toMatchObject({ stdout: 'Claimed src/a.ts\nClaimed b.ts\n', stderr: '' })
    const second = await run(['claim', 'c.ts', 'b.ts', '--as', 'bob'])
    expect(second).toMatchObject({ stdout: 'Claimed c.ts\n', exitCode: 1 })
    expect(told(second.stderr)).toBe('Conflict: b.ts is held by a long name (<id>)\n')
    expect(told((await run(['claims'])).stdout)).toBe(
      [
        'FILE      HELD BY      SINCE',
        'b.ts      a long name  yyyy-mm-dd hh:mm:ss',
        'c.ts      bob          yyyy-mm-dd hh:mm:ss',
        'src/a.ts  a long name  yyyy-mm-dd hh:mm:ss',
        '',
      ].join('\n'),
    )
    expect(told((await run(['agents'])).stdout)).toBe(
      [
        'NAME         ROLE    WHERE         STATE  UNREAD  FILES  LAST HEARD OF        AGENT ID',
        'a long name  bot     outside tmux         0       2      yyyy-mm-dd hh:mm:ss  <id>',
        'bob          person  outside tmux         0       1      yyyy-mm-dd hh:mm:ss  <id>',
        '',
      ].join('\n'),
    )
    const released = await run(['release', 'b.ts', 'c.ts', '--as', 'bob'])
    expect(released).toMatchObject({ stdout: 'Released c.ts\n', stderr: '', exitCode: 0 })
    expect(await run(['release', 'b.ts', 'c.ts', '--as', 'bob'])).toMatchObject({
      stdout: 'None of them was yours\n',
      exitCode: 0,
    })
  })

  it('tells messages and changes, in the time zone of the reader', async () => {
    const { run, json } = await openPlace('the database itself')
    const posted = await run(['post', 'two\nlines', 'one\n\ntwo', '--as', 'ann'])
    expect(posted).toMatchObject({ stdout: 'Message #1 posted\n', stderr: '', exitCode: 0 })
    expect(told((await run(['messages'])).stdout)).toBe(
      '#1  yyyy-mm-dd hh:mm:ss  ann → broadcast\ntwo lines\n  one\n  \n  two\n\n',
    )
    const announced = await run(['announce', 'src/a.ts', 'Two\nlines', '--as', 'ann'])
    expect(announced).toMatchObject({ stdout: 'Change #1 announced\n', stderr: '', exitCode: 0 })
    expect(told((await run(['changes'])).stdout)).toBe(
      [
        'ID  TIME                 AGENT  FILE      SUMMARY',
        '#1  yyyy-mm-dd hh:mm:ss  ann    src/a.ts  Two lines',
        '',
      ].join('\n'),
    )
    const [message] = messagesOf(await json(['messages']))
    const there = new Date(Date.parse(message?.created_at ?? '') + (5 * 60 + 45) * 60_000)
    const { stdout } = await run(['messages'], { env: { TZ: 'Asia/Kathmandu' } })
    expect(stdout).toContain(`#1  ${there.toISOString().slice(0, 19).replace('T', ' ')}  ann`)
  })

  it('keeps control characters of agents from the terminal', async () => {
    const place = await openPlace('the database itself')
    const evil = '\x1b[2J\x1b]0;title\x07 \x9b31m \x7f \b \r \u202e'
    const ann = await openAgent(place, 'ann')
    calledOfOld(place.database, 'ann', { name: `ann${evil}`, role: `role${evil}` })
    await ann.say(`subject${evil}\n#7 fake`, `body${evil}`)
    await ann.call('send_message', { channel: `channel${evil}`, subject: 's', body: 'b' })
    await ann.call('announce_change', { file_path: `file${evil}`, summary: `summary${evil}` })
    await ann.call('claim_files', { files: [`held${evil}`] })
    const steering = (text: string) => text.match(/[^\P{Cc}\n]|\u202e/gu)
    for (const command of ['agents', 'messages', 'changes', 'claims', 'history']) {
      const { stdout, exitCode } = await place.run([command])
      expect([command, exitCode, steering(stdout)]).toEqual([command, 0, null])
      expect(stdout).not.toMatch(/^#7/m)
    }
    const conflict = await place.run(['claim', `held${evil}`, '--as', 'bob'])
    expect(conflict).toMatchObject({ stdout: '', exitCode: 1 })
    expect(steering(conflict.stderr)).toBe(null)
    const { stdout } = await place.run(['messages', '--json'])
    expect(messagesOf(JSON.parse(stdout))[0]).toMatchObject({
      sender_name: `ann${evil}`,
      body: `body${evil}`,
    })
    expect(steering(stdout)).toBe(null)
  })

  it('takes the body of a message from a pipe, then from the arguments', async () => {
    const place = await openPlace('the database itself')
    const post = (args: string[], input = '') =>
      place.run(['post', ...args, '--as', 'ann'], { input })
    await post(['a', 'word'], 'pipe\n')
    await post(['b', 'word'])
    await post(['c'], 'two\n\n')
    const bodies = messagesOf(await place.json(['messages'])).map(({ body }) => body)
    expect(bodies).toEqual(['pipe', 'word', 'two\n'])
    expect(await post(['d'], `${'é'.repeat(32_768)}x`)).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: body exceeds maximum size of 64KB\n/),
      exitCode: 1,
    })
  })

  it('refuses options and arguments that it does not know or needs', async () => {
    const place = await openPlace('the database itself')
    const refusals = [
      [['agents', 'extra'], 'error: too many arguments: extra'],
      [['changes', '--agent', 'nobody'], 'error: there is no agent "nobody"'],
      [['messages', '--loud'], 'error: unknown option --loud'],
      [['history', '--file'], 'error: option --file needs a value'],
      [['changes', '--follow=yes'], 'error: option --follow takes no value'],
      [['changes', '--limit', 'ten'], 'error: --limit must be a whole number, not "ten"'],
      [['claim', '--as', 'ann'], 'error: files is required'],
      [['announce', 'a.ts', '--as', 'ann'], 'error: summary is required'],
      [['post', 'subject', '--as', 'ann'], 'error: body is required'],
      [['post', '', 'body', '--as', 'ann'], 'error: subject is required'],
    ] as const
    for (const [args, words] of refusals) await expectRefusal(place, [...args], words)
  })
})
