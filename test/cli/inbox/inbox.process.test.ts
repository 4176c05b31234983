/** agentmail inbox and reply: what is for a name, of both kinds, and how it is answered. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { RunOptions } from '../../support/agentmail.ts'
import {
  openAgent,
  openPlace,
  type Place,
  Running,
  ways,
} from '../../support/coordination/coordination.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const item = z.strictObject({
  id: z.string(),
  from: z.string(),
  at: z.string().nullable(),
  kind: z.enum(['mailbox', 'message', 'draft', 'unknown_send']),
  text: z.string(),
})
const inboxSchema = z.strictObject({ inbox: z.array(item) })

async function inboxOf(place: Place, args: string[] = [], options: RunOptions = {}) {
  return inboxSchema.parse(await place.json(['inbox', ...args], options)).inbox
}
const textsOf = async (...given: Parameters<typeof inboxOf>) =>
  (await inboxOf(...given)).map(({ kind, from, text }) => `${kind} ${from} ${text}`)

const as = (name: string): RunOptions => ({ env: { AGENTMAIL_AGENT: name } })
const send = (place: Place, from: string, to: string, text: string) =>
  place.json(['send', to, text], as(from))

const sentStates = async (place: Place, name: string) => {
  const { sent } = z
    .object({ sent: z.array(z.object({ to: z.string(), state: z.string() })) })
    .parse(await place.json(['sent'], as(name)))
  return sent.map(({ to, state }) => `${to} ${state}`)
}

describe.each(ways)('through %s', (way) => {
  it('shows mail and messages together, oldest first, and marks them with --read alone', async () => {
    const place = await openPlace(way)
    const coder = await openAgent(place, 'coder')
    await place.json(['recipients'], as('bob'))
    await send(place, 'ann', 'bob', 'by mail')
    await place.json(['agents'])
    await coder.call('send_message', { channel: '@bob', subject: 'One', body: 'in the mailbox' })
    expect(await textsOf(place, [], as('bob'))).toEqual([
      ...['mailbox ann by mail', 'mailbox coder One\n\nin the mailbox'],
    ])
    const bob = await openAgent(place, 'bob')
    await coder.call('send_message', { channel: '@bob', subject: 'Two', body: 'by channel' })
    await bob.call('send_message', { channel: '@bob', subject: 'mine', body: 'own' })
    await send(place, 'ann', 'bob', 'by mail again')
    const all = [
      ...['mailbox ann by mail', 'mailbox coder One\n\nin the mailbox'],
      ...['message coder Two\nby channel', 'mailbox ann by mail again'],
    ]
    for (const options of [[], ['--all'], ['--as', 'bob'], ['--as', bob.id]]) {
      const who = options[0] === '--as' ? {} : as('bob')
      expect(await textsOf(place, options, who)).toEqual(all)
    }
    expect(await sentStates(place, 'ann')).toEqual(['bob queued', 'bob queued'])
    expect(await textsOf(place, ['--read'], as('bob'))).toEqual(all)
    expect(await sentStates(place, 'ann')).toEqual(['bob read', 'bob read'])
    expect(await sentStates(place, 'coder')).toEqual(['bob read', 'bob read'])
    expect((await place.run(['inbox'], as('bob'))).stdout).toBe('Nothing new\n')
    expect(await place.json(['inbox', '--read'], as('bob'))).toEqual({ inbox: [] })
    expect(await place.json(['receive'], as('bob'))).toEqual({ status: 'No unread messages' })
    expect(Object(await bob.call('heartbeat')).unread).toBe(0)
    await coder.call('send_message', { channel: '@bob', subject: 'Three', body: 'more' })
    expect(await textsOf(place, ['--all', '--read'], as('bob'))).toEqual([
      ...[...all, 'message coder Three\nmore'],
    ])
    expect(await textsOf(place, [], as('bob'))).toEqual([])
  })

  it('answers each by the door at which its sender is, also when that has gone', async () => {
    const place = await openPlace(way)
    const coder = await openAgent(place, 'coder')
    await send(place, 'ann', 'human', 'From a mailbox')
    await coder.call('send_message', { channel: '@human', subject: 'From a tool', body: 'May I?' })
    await send(place, 'ann', 'coder', 'by channel')
    const [first, second] = await inboxOf(place)
    expect([first?.from, first?.text, first?.kind]).toEqual(['ann', 'From a mailbox', 'message'])
    expect([second?.from, second?.text]).toEqual(['coder', 'From a tool\nMay I?'])
    const one = await place.run(['reply', first?.id ?? '', 'yes, ann'])
    expect(one).toMatchObject({ stderr: '', exitCode: 0 })
    expect(one.stdout).toMatch(/^Message #\w{8} sent\n$/)
    const two = await place.run(['reply', `#${second?.id}`, '--as', 'human'], {
      input: 'yes,\ncoder\n',
    })
    expect(two).toMatchObject({ stderr: '', exitCode: 0 })
    expect(two.stdout).toMatch(/^Message #\d+ sent\n$/)
    expect(await place.json(['receive'], as('ann'))).toMatchObject({
      ...{ from: 'human', message: 'yes, ann' },
    })
    expect(await coder.call('read_messages', { unread: true, channel: '@coder' })).toMatchObject({
      messages: [
        { sender_name: 'ann', body: 'by channel' },
        { sender_name: 'human', subject: 'yes,', body: 'yes,\ncoder' },
      ],
    })
    // Both answer what they have read.
    const [answer] = await inboxOf(place, ['--all'], as('ann'))
    await place.json(['reply', answer?.id ?? '', 'Thanks'], as('ann'))
    expect(await textsOf(place, ['--read'])).toEqual(['message ann Thanks'])
    await place.json(['post', 'Later', 'then gone', '--channel', '@human', '--as', 'ghost'])
    const [ghost] = await inboxOf(place)
    const late = await place.run(['reply', ghost?.id ?? '', 'still there?'])
    expect(late.stdout).toMatch(/^Message #\d+ sent\n$/)
    expect(late.stderr).toBe(
      'warning: ghost is not registered at present, and reads this when it is again\n',
    )
    const back = await openAgent(place, 'ghost')
    expect(await back.call('read_messages', { unread: true, channel: '@ghost' })).toMatchObject({
      messages: [{ sender_name: 'human', body: 'still there?' }],
    })
    expect((await place.run(['recipients'], as('ann'))).stdout).not.toContain('human')
    expect(readFileSync(join(place.repository, '.agentmail/recipients.jsonl'), 'utf8')).not.toMatch(
      /"name":"human"/,
    )
  })

  it('goes on with --follow, each once, and reads it with --read', async () => {
    const place = await openPlace(way)
    await place.json(['recipients'], as('bob'))
    await send(place, 'ann', 'bob', 'mail 1')
    const coder = await openAgent(place, 'coder')
    const tell = (to: string, subject: string) =>
      coder.call('send_message', { channel: `@${to}`, subject, body: subject })
    await tell('human', 'message 1')
    const person = new Running(place, ['inbox', '--follow', '--json'])
    const taking = new Running(place, ['inbox', '--follow', '--json', '--read', '--as', 'human'])
    const bob = new Running(place, ['inbox', '--follow', '--json'], as('bob').env)
    const told = ({ lines }: Running) => lines.map((line) => item.parse(JSON.parse(line)).text)
    await eventually('all have begun', () => told(taking).length === 1 && told(bob).length === 1)
    const begun = told(person).length // what the other has taken already is not for it
    await tell('human', 'message 2')
    await send(place, 'ann', 'bob', 'mail 2')
    await tell('bob', 'mail 3')
    await eventually('all is shown', () => told(taking).length === 2 && told(bob).length === 3)
    await eventually('all is read', async () => (await inboxOf(place)).length === 0)
    expect(told(bob)).toEqual(['mail 1', 'mail 2', 'mail 3'])
    expect(told(taking)).toEqual(['message 1', 'message 2'])
    expect(told(person).length).toBeGreaterThanOrEqual(begun)
    expect(new Set(told(person)).size).toBe(told(person).length)
    expect(await textsOf(place, [], as('bob'))).toHaveLength(3)
    for (const one of [person, taking, bob]) expect((await one.stop('SIGINT')).stderr).toBe('')
    const { agents } = Object(await place.json(['agents']))
    const registered = agents.filter(({ agent_id }: { agent_id: unknown }) => agent_id !== null)
    expect(registered.map(({ name }: { name: string }) => name)).toEqual(['coder'])
  })
})

it('follows on the database when the server is killed, each once', async () => {
  const place = await openPlace('a running server')
  await send(place, 'ann', 'human', 'before')
  const following = new Running(place, ['inbox', '--follow', '--json'])
  const texts = () => following.lines.map((line) => item.parse(JSON.parse(line)).text)
  await eventually('it has begun', () => texts().length === 1)
  process.kill(place.server?.pid ?? 0, 'SIGKILL')
  await send(place, 'ann', 'human', 'after')
  await eventually('it goes on', () => texts().length === 2)
  await send(place, 'ann', 'human', 'later')
  await eventually('it goes on', () => texts().length === 3)
  expect(texts()).toEqual(['before', 'after', 'later'])
})

describe('where there is no database', () => {
  it('shows the mailbox alone, makes none, and --follow finds the one that comes', async () => {
    const place = await openPlace('the database itself')
    await place.json(['recipients'], as('bob'))
    await send(place, 'ann', 'bob', 'mail')
    expect(await textsOf(place, ['--read'], as('bob'))).toEqual(['mailbox ann mail'])
    const [read] = await inboxOf(place, ['--all'], as('bob'))
    await place.json(['reply', read?.id ?? '', 'got it'], as('bob'))
    expect(await textsOf(place, [], as('ann'))).toEqual(['mailbox bob got it'])
    expect((await place.run(['inbox'])).stdout).toBe('Nothing new\n')
    const following = new Running(place, ['inbox', '--follow', '--json'])
    expect(existsSync(place.database)).toBe(false)
    await send(place, 'ann', 'human', 'the first message')
    await eventually('it is shown', () => following.stdout.includes('the first message'))
    await send(place, 'ann', 'human', 'the second')
    await eventually('it is shown', () => following.stdout.includes('the second'))
    expect(following.lines).toHaveLength(2)
  })

  it('works outside a repository, in the project "default"', async () => {
    const place = await openPlace('the database itself')
    const outside = { ...place, repository: temporaryFolder() }
    const cwd = outside.repository
    const coder = await openAgent(outside, 'coder')
    await coder.call('send_message', { channel: '@human', subject: 'Hello', body: 'from outside' })
    expect(await textsOf(place, [], { cwd })).toEqual(['message coder Hello\nfrom outside'])
    expect((await place.run(['reply', '1', 'hello'], { cwd })).stdout).toBe('Message #2 sent\n')
    expect(await coder.call('read_messages', { unread: true, channel: '@coder' })).toMatchObject({
      messages: [{ sender_name: 'human', body: 'hello' }],
    })
  })
})

describe('what cannot be answered', () => {
  it('is refused with the next step', async () => {
    const place = await openPlace('the database itself')
    await send(place, 'ann', 'human', 'hello')
    const refusal = async (...args: string[]) => {
      const { stdout, stderr, exitCode } = await place.run(['reply', ...args])
      expect([stdout, exitCode]).toEqual(['', 1])
      return stderr
    }
    expect(await refusal()).toBe(
      'error: answer to what?\nWrite agentmail reply <id> <text>; agentmail inbox shows the ids.\n',
    )
    for (const id of ['2', '0', 'nothing', '99999999999999999999', '-1']) {
      expect(await refusal('--', id, 'x')).toBe(
        `error: nothing in the inbox of human has the id "${id}"\nagentmail inbox --all shows the ids; --as <name> says whose inbox it is.\n`,
      )
    }
    expect(await refusal('1', 'x', '--as', 'bob')).toContain('the inbox of bob')
    expect(await refusal('1')).toBe('error: no message provided\nGive the text to send.\n')
    expect(await refusal('1', 'x'.repeat(65_537))).toContain('message exceeds maximum size of 64KB')
  })
})

describe('what another program wrote', () => {
  it('steers no terminal, and its id is no command', async () => {
    const place = await openPlace('the database itself')
    const boxes = join(place.repository, '.agentmail/mailboxes')
    mkdirSync(boxes, { recursive: true })
    const hostile = "x'; rm -rf ~ #\u001b[2J"
    const lines = [
      { id: hostile, from: 'ev\u001b]0;il\u0007\nb', message: 'one\u001b[2J\r\ntwo\u202e' },
      { id: 'b', from: 'ann', message: 'no time', created_at: 7, read_flag: false },
      { id: 'c', from: 'ann', message: 'odd time', created_at: 'soon' },
      { id: 'd', from: 'ann', message: 'read', read_flag: true },
    ]
    const torn = '{"torn'
    writeFileSync(
      join(boxes, 'bob.jsonl'),
      `${[...lines.map((line) => JSON.stringify(line)), torn].join('\n')}\n`,
    )
    const { stdout, exitCode } = await place.run(['inbox'], as('bob'))
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      [
        "x'; rm -rf ~ #\ufffd[2J  ev\ufffd]0;il\ufffd b  (mailbox)",
        '  one\ufffd[2J',
        '  two\ufffd',
        "  → agentmail reply 'x'\\''; rm -rf ~ #\ufffd[2J' …",
        '',
        'b  ann  (mailbox)\n  no time\n  → agentmail reply b …\n',
        'c  ann  (mailbox)\n  odd time\n  → agentmail reply c …\n\n',
      ].join('\n'),
    )
    const json = (await place.run(['inbox', '--json', '--all', '--as', 'bob'])).stdout
    for (const sign of ['\u202e', '\u001b']) expect(json).not.toContain(sign)
    const { inbox } = inboxSchema.parse(JSON.parse(json))
    expect(inbox.map(({ id, at }) => [id, at])).toEqual([
      ...[
        ['d', null],
        [hostile, null],
        ['b', null],
        ['c', 'soon'],
      ],
    ])
    expect((await place.run(['inbox', '--as', 'bob'])).stdout).toContain('reply b --as bob …')
  })
})
