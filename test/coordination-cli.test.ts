/** The coordination commands: the same answers from a running server and from the database itself. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { binary, plainEnv } from './support/agentmail.ts'
import {
  historySchema,
  messagesOf,
  openAgent,
  openPlace,
  type Place,
  subjectsOf,
  ways,
} from './support/coordination.ts'

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

describe.each(ways)('through %s', (way) => {
  it('says so where there is nothing yet', async () => {
    const place = await openPlace(way)
    const empty = [
      ['agents', 'No agents are registered', { agents: [] }],
      ['messages', 'No messages', { messages: [], has_more: false }],
      ['changes', 'No changes', { changes: [], has_more: false }],
      ['claims', 'No claims', { claims: [] }],
      ['history', 'Nothing is recorded', []],
    ] as const
    for (const [command, words, answer] of empty) {
      const [text, json] = await Promise.all([place.run([command]), place.json([command])])
      expect(text).toMatchObject({ stdout: `${words}\n`, stderr: '', exitCode: 0 })
      expect(json).toEqual(answer)
    }
  })

  it('lists the agents', async () => {
    const place = await openPlace(way)
    const { id } = await openAgent(place, 'a long name', { role: 'reviewer' })
    await place.run(['claim', 'a.ts', 'b.ts', '--as', 'ann'])
    expect(told((await place.run(['agents'])).stdout)).toBe(
      [
        'NAME         ROLE      LAST SEEN            CLAIMS  AGENT ID',
        'a long name  reviewer  yyyy-mm-dd hh:mm:ss  0       <id>',
        'ann          person    yyyy-mm-dd hh:mm:ss  2       <id>',
        '',
      ].join('\n'),
    )
    const times = { registered_at: anyTime, last_seen: anyTime }
    expect(await place.json(['agents'])).toEqual({
      agents: [
        { agent_id: id, name: 'a long name', role: 'reviewer', claims: 0, ...times },
        { agent_id: anyId, name: 'ann', role: 'person', claims: 2, ...times },
      ],
    })
  })

  it('claims what is free, tells who holds the rest, and exits 1 on a conflict', async () => {
    const place = await openPlace(way)
    expect(await place.run(['claim', 'src/a.ts', 'b.ts', '--as', 'ann'])).toMatchObject({
      stdout: 'Claimed src/a.ts\nClaimed b.ts\n',
      stderr: '',
      exitCode: 0,
    })
    const second = await place.run(['claim', 'c.ts', 'b.ts', '--as', 'bob'])
    expect(second).toMatchObject({ stdout: 'Claimed c.ts\n', exitCode: 1 })
    expect(told(second.stderr)).toBe('Conflict: b.ts is held by ann (<id>)\n')
    const again = await place.run(['claim', 'c.ts', 'b.ts', '--as', 'bob', '--json'])
    expect(again).toMatchObject({ stderr: '', exitCode: 1 })
    expect(JSON.parse(again.stdout)).toEqual({
      claimed: ['c.ts'],
      conflicts: [{ file: 'b.ts', held_by: anyId, holder_name: 'ann', claimed_at: anyTime }],
    })
    expect(told((await place.run(['claims'])).stdout)).toBe(
      [
        'FILE      HELD BY  SINCE',
        'b.ts      ann      yyyy-mm-dd hh:mm:ss',
        'c.ts      bob      yyyy-mm-dd hh:mm:ss',
        'src/a.ts  ann      yyyy-mm-dd hh:mm:ss',
        '',
      ].join('\n'),
    )
    expect(await place.json(['claims', './src//a.ts', 'free.ts'])).toEqual({
      claims: [{ file_path: 'src/a.ts', agent_id: anyId, claimed_at: anyTime, holder_name: 'ann' }],
    })
  })

  it('releases what is yours, and only that', async () => {
    const place = await openPlace(way)
    await place.run(['claim', 'a.ts', 'b.ts', '--as', 'ann'])
    await place.run(['claim', 'c.ts', '--as', 'bob'])
    expect(await place.run(['release', 'c.ts', 'free.ts', '--as', 'ann'])).toMatchObject({
      stdout: 'None of them was yours\n',
      exitCode: 0,
    })
    expect(await place.run(['release', 'a.ts', 'c.ts', '--as', 'ann'])).toMatchObject({
      stdout: 'Released a.ts\n',
      exitCode: 0,
    })
    expect(await place.json(['release', 'b.ts', '--as', 'ann'])).toEqual({ released: ['b.ts'] })
    expect((await place.run(['claims'])).stdout).toMatch(/^FILE.*\nc\.ts .*\n$/)
  })

  it('posts messages and shows them, a page at a time', async () => {
    const place = await openPlace(way)
    const post = (...args: string[]) => place.run(['post', ...args, '--as', 'ann'])
    expect(await post('first', 'one\ntwo')).toMatchObject({
      stdout: 'Message #1 posted\n',
      stderr: '',
      exitCode: 0,
    })
    await post('second', 'x', '--channel', 'builds')
    expect(await place.json(['post', 'third', 'x', '--as', 'ann'])).toEqual({ message_id: 3 })
    expect(told((await place.run(['messages', '--limit', '2', '--after-id', '0'])).stdout)).toBe(
      [
        '#1  yyyy-mm-dd hh:mm:ss  ann → broadcast\nfirst\n  one\n  two\n\n',
        '#2  yyyy-mm-dd hh:mm:ss  ann → builds\nsecond\n  x\n\n',
      ].join(''),
    )
    const read = (...args: string[]) => place.json(['messages', ...args])
    const all = await read()
    expect(all).toEqual({ messages: messagesOf(all), has_more: false })
    const [first] = messagesOf(all)
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
  })

  it('announces changes and shows them', async () => {
    const place = await openPlace(way)
    const announce = (...args: string[]) => place.run(['announce', ...args])
    expect(await announce('src/a.ts', 'Two\nlines', '--as', 'ann')).toMatchObject({
      stdout: 'Change #1 announced\n',
      exitCode: 0,
    })
    expect(await place.json(['announce', 'b.ts', 'Short', '--as', 'bob'])).toEqual({ change_id: 2 })
    expect(told((await place.run(['changes'])).stdout)).toBe(
      [
        'ID  TIME                 AGENT  FILE      SUMMARY',
        '#1  yyyy-mm-dd hh:mm:ss  ann    src/a.ts  Two lines',
        '#2  yyyy-mm-dd hh:mm:ss  bob    b.ts      Short',
        '',
      ].join('\n'),
    )
    const change = { id: 2, agent_id: anyId, file_path: 'b.ts', summary: 'Short' }
    const ofBob = { changes: [{ ...change, announced_at: anyTime }], has_more: false }
    expect(await place.json(['changes', '--agent', 'bob'])).toEqual(ofBob)
    expect(await place.json(['changes', '--after-id', '1'])).toEqual(ofBob)
  })

  it('refuses what cannot be done, in the same words', async () => {
    const place = await openPlace(way)
    const refusals: [args: string[], words: string | RegExp][] = [
      [['messages', '--limit', '0'], 'error: limit must be a whole number from 1 to 500'],
      [['messages', '--limit', '501'], 'error: limit must be a whole number from 1 to 500'],
      [['messages', '--channel', 'x'.repeat(256)], 'error: channel must be at most 255 characters'],
      [['messages', '--since', 'today'], /^error: parsing since timestamp: "today" is not/],
      [['changes', '--limit', '501'], 'error: limit must be a whole number from 1 to 500'],
      [['changes', '--agent', 'nobody'], 'error: there is no agent "nobody"'],
      [['history', '--as-of', 'today'], /^error: parsing as-of timestamp: "today" is not/],
      [['claim', '../out.ts', '--as', 'ann'], 'error: path "../out.ts" is outside the project'],
      [['post', 's', 'b', '--as', 'x'.repeat(256)], 'error: name must be at most 255 characters'],
    ]
    for (const [args, words] of refusals) await expectRefusal(place, args, words)
    expect(await place.json(['agents'])).toEqual({ agents: [] })
  })

  it('keeps control characters of agents from the terminal', async () => {
    const place = await openPlace(way)
    const evil = '\x1b[2J\x1b]0;title\x07 \x9b31m \x7f \b \r \u202e'
    const ann = await openAgent(place, `ann${evil}`, { role: `role${evil}` })
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

  it('prints more than a pipe holds whole, to a slow reader', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    const body = `${'line of text\n'.repeat(5000)}end`
    for (const subject of ['1', '2', '3', '4', '5']) await ann.say(subject, body)
    const read = (command: string) => {
      const script = `'${process.execPath}' '${binary}' ${command} | (sleep 0.3; cat)`
      const env = plainEnv(place.env)
      return execFileSync('sh', ['-c', script], { cwd: place.repository, env, encoding: 'utf8' })
    }
    expect(read('messages').match(/^ {2}line of text$/gm)).toHaveLength(25_000)
    const said = historySchema.parse(JSON.parse(read('history --json'))).slice(1)
    expect(said.map(({ text }) => text)).toEqual(
      [1, 2, 3, 4, 5].map((subject) => `[broadcast] ${subject}\n${body}`),
    )
  })
})

describe('either way', () => {
  it('shows times in the zone of the reader', async () => {
    const place = await openPlace('the database itself')
    await place.run(['post', 'subject', 'body', '--as', 'ann'])
    const [message] = messagesOf(await place.json(['messages']))
    const there = new Date(Date.parse(message?.created_at ?? '') + (5 * 60 + 45) * 60_000)
    const { stdout } = await place.run(['messages'], { env: { TZ: 'Asia/Kathmandu' } })
    expect(stdout).toContain(`#1  ${there.toISOString().slice(0, 19).replace('T', ' ')}  ann`)
  })

  it('takes the body of a message from a pipe, then from the arguments', async () => {
    const place = await openPlace('the database itself')
    const post = (args: string[], input?: string) =>
      place.run(['post', ...args, '--as', 'ann'], input === undefined ? {} : { input })
    await post(['a', 'word'], 'pipe\n')
    await post(['b', 'word'], '')
    await post(['c'], 'two\n\n')
    const bodies = messagesOf(await place.json(['messages'])).map(({ body }) => body)
    expect(bodies).toEqual(['pipe', 'word', 'two\n'])
    expect(await post(['d'], `${'é'.repeat(32_768)}x`)).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: body exceeds maximum size of 64KB\n/),
      exitCode: 1,
    })
  })

  it('refuses options and arguments that it does not know', async () => {
    const place = await openPlace('the database itself')
    const refusals = [
      [['agents', 'extra'], 'error: too many arguments: extra'],
      [['messages', '--loud'], 'error: unknown option --loud'],
      [['messages', '--channel'], 'error: option --channel needs a value'],
      [['messages', '--follow=yes'], 'error: option --follow takes no value'],
      [['changes', '--limit', 'ten'], 'error: --limit must be a whole number, not "ten"'],
      [['changes', '--after-id=-1'], 'error: --after-id must be a whole number, not "-1"'],
      [['claim', '--as', 'ann'], 'error: files is required'],
      [['release', '--as', 'ann'], 'error: files is required'],
      [['announce', '--as', 'ann'], 'error: file_path is required'],
      [['announce', 'a.ts', '--as', 'ann'], 'error: summary is required'],
      [['post', '--as', 'ann'], 'error: subject is required'],
      [['post', 'subject', '--as', 'ann'], 'error: body is required'],
    ] as const
    for (const [args, words] of refusals) await expectRefusal(place, [...args], words)
  })
})
