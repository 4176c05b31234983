/** Who acts when a coordination command is run: the agent of that name, or a guest that leaves again. */
import { describe, expect, it } from 'vitest'
import {
  historySchema,
  messagesOf,
  openAgent,
  openPlace,
  type Place,
  Running,
  shortLives,
  subjectsOf,
  ways,
} from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { describeWith, isLong } from '../support/parts.ts'

const eventsOf = async (place: Place, agent: string) =>
  historySchema.parse(await place.json(['history', '--agent', agent])).map(({ event }) => event)

const heldFiles = async (place: Place): Promise<string[]> => {
  const { stdout } = await place.run(['claims'])
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split('  ')[0] ?? '')
}

describe.each(ways)('through %s', (way) => {
  it('acts as the agent of that name that works through MCP', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    await ann.call('claim_files', { files: ['a.ts'] })
    await place.run(['post', 'by flag', 'b', '--as', 'ann'])
    await place.run(['post', 'by environment', 'b'], { env: { AGENTMAIL_AGENT: 'ann' } })
    expect(await place.json(['release', 'a.ts', '--as', 'ann'])).toEqual({ released: ['a.ts'] })
    const messages = messagesOf(await ann.call('read_messages'))
    expect(messages.map(({ sender_id }) => sender_id)).toEqual([ann.id, ann.id])
    expect(await ann.call('heartbeat')).toEqual({ ok: true })
    expect(await eventsOf(place, 'ann')).not.toContain('left')
  })

  it('serves several guests of one name at a time', async () => {
    const place = await openPlace(way)
    const subjects = ['1', '2', '3', '4']
    await place.run(['post', 'before', 'b', '--as', 'ci'])
    const ran = await Promise.all(
      subjects.map((subject) => place.run(['post', subject, 'b', '--as', 'ci'])),
    )
    expect(ran.map(({ stderr }) => stderr)).toEqual(subjects.map(() => ''))
    expect(subjectsOf(await place.json(['messages', '--after-id', '1'])).sort()).toEqual(subjects)
  })

  it('releases what it holds, and only that, on SIGTERM', async () => {
    const place = await openPlace(way)
    await place.run(['claim', 'mine.ts', '--as', 'ann'])
    const args = ['claim', 'own.ts', 'mine.ts', '--hold', '--json', '--as', 'ann']
    const holding = new Running(place, args)
    await eventually('it holds the file', () => holding.lines.length === 1)
    expect(JSON.parse(holding.stdout)).toEqual({ claimed: ['own.ts', 'mine.ts'], conflicts: [] })
    expect(await holding.stop('SIGTERM')).toMatchObject({ exitCode: 0, signal: null, stderr: '' })
    expect(await heldFiles(place)).toEqual(['mine.ts'])
  })

  it('holds all of the files or none', async () => {
    const place = await openPlace(way)
    await place.run(['claim', 'other.ts', '--as', 'bob'])
    const refused = await place.run(['claim', 'own.ts', 'other.ts', '--hold', '--as', 'ann'])
    expect(refused).toMatchObject({ stdout: 'Claimed own.ts\n', exitCode: 1 })
    expect(refused.stderr).toMatch(/^Conflict: other\.ts is held by bob .*\nNothing is held: /)
    expect(await heldFiles(place)).toEqual(['other.ts'])
  })
})

// To see agents go stale takes its time, so each way is taken once by default.
describe.each(isLong ? ways : ways.slice(1))('as a guest through %s', (way) => {
  it('comes as a guest, keeps its id, and leaves without a notice', async () => {
    const place = await openPlace(way, shortLives)
    const watcher = await openAgent(place, 'watcher')
    await place.run(['post', 'one', 'b', '--as', 'guest', '--role', 'tester'])
    await place.run(['announce', 'a.ts', 'two', '--as', 'guest'])
    expect(await place.json(['agents'])).toMatchObject({ agents: [{ agent_id: watcher.id }] })
    const history = historySchema.parse(await place.json(['history', '--agent', 'guest']))
    expect(history.map(({ event, text }) => [event, text])).toEqual([
      ['registered', 'tester'],
      ['said', '[broadcast] one\nb'],
      ['left', null],
      ['registered', 'tester'],
      ['announced', 'two'],
      ['left', null],
    ])
    expect(new Set(history.map(({ agent_id }) => agent_id)).size).toBe(1)
    // Whoever holds files stays, and goes stale later than a guest would have that had stayed.
    await place.run(['claim', 'b.ts', '--as', 'holder'])
    const notices = await eventually('the holder goes stale', async () => {
      const read = await watcher.call('read_messages', { after_id: 1, wait_seconds: 1 })
      return messagesOf(read).length > 0 && read
    })
    expect(messagesOf(notices)).toMatchObject([{ subject: 'agent-stale', sender_name: 'holder' }])
    expect(await heldFiles(place)).toEqual([])
  })
})

describe.each(isLong ? ways : ways.slice(0, 1))('with --hold through %s', (way) => {
  it('holds claims beyond the time that others go stale in, and releases them at the end', async () => {
    const place = await openPlace(way, shortLives)
    const watcher = await openAgent(place, 'watcher')
    const holding = new Running(place, ['claim', 'held.ts', '--hold', '--as', 'ann'])
    await eventually('it holds the file', () => holding.stdout.includes('Ctrl-C releases'))
    expect(holding.stdout).toBe('Claimed held.ts\nHolding what it claimed. Ctrl-C releases it.\n')
    await place.run(['claim', 'let-go.ts', '--as', 'bob'])
    const notices = await eventually('one that does not hold goes stale', async () => {
      const read = await watcher.call('read_messages', { wait_seconds: 1 })
      return messagesOf(read).length > 0 && messagesOf(read)
    })
    expect(notices).toMatchObject([{ subject: 'agent-stale', sender_name: 'bob' }])
    expect(await heldFiles(place)).toEqual(['held.ts'])
    expect(await holding.stop('SIGINT')).toMatchObject({ exitCode: 0, signal: null, stderr: '' })
    expect(await heldFiles(place)).toEqual([])
    expect((await eventsOf(place, 'ann')).slice(-2)).toEqual(['released', 'left'])
  })
})

it('goes on holding on the database when its server is killed', async () => {
  const place = await openPlace('a running server', shortLives)
  const holding = new Running(place, ['claim', 'held.ts', '--hold', '--as', 'ann'])
  await eventually('it holds the file', () => holding.stdout.includes('Ctrl-C releases'))
  place.server?.child.kill('SIGKILL')
  await place.server?.ended
  await new Promise((resolve) => setTimeout(resolve, 6000)) // longer than it takes to go stale
  const refused = await place.run(['claim', 'held.ts', '--as', 'bob'])
  expect(refused).toMatchObject({ exitCode: 1 })
  expect(await holding.stop('SIGINT')).toMatchObject({ exitCode: 0, signal: null })
  expect(await heldFiles(place)).toEqual([])
})

it('ends on Ctrl-C also when it slept for too long and its claims were released', async () => {
  const place = await openPlace('a running server', shortLives)
  const watcher = await openAgent(place, 'watcher')
  const holding = new Running(place, ['claim', 'held.ts', '--hold', '--as', 'ann'])
  await eventually('it holds the file', () => holding.stdout.includes('Ctrl-C releases'))
  holding.signal('SIGSTOP')
  await eventually('it goes stale', async () => {
    const read = await watcher.call('read_messages', { wait_seconds: 1 })
    return messagesOf(read).length > 0
  })
  holding.signal('SIGCONT')
  holding.signal('SIGINT')
  const end = await Promise.race([
    holding.ended,
    new Promise((resolve) => setTimeout(resolve, 15_000, 'it goes on')),
  ])
  expect(end).toMatchObject({ signal: null })
  expect(holding.stdout.match(/Claimed/g)).toHaveLength(1)
  expect(await heldFiles(place)).toEqual([])
})

describe('a name', () => {
  it('is taken from --as before AGENTMAIL_AGENT', async () => {
    const place = await openPlace('the database itself')
    const env = { AGENTMAIL_AGENT: 'ann' }
    await place.run(['post', 'subject', 'b'], { env })
    await place.run(['post', 'subject', 'b', '--as', 'bob'], { env })
    await place.run(['post', 'subject', 'b', '--as', ''], { env })
    const messages = messagesOf(await place.json(['messages']))
    expect(messages.map(({ sender_name }) => sender_name)).toEqual(['ann', 'bob', 'ann'])
  })

  it('is asked for where there is none', async () => {
    const place = await openPlace('the database itself')
    const commands = [
      ['claim', 'a.ts'],
      ['post', 'subject', 'body'],
    ]
    for (const args of commands) {
      const { stdout, stderr, exitCode } = await place.run(args)
      expect([args, stdout, exitCode]).toEqual([args, '', 2])
      expect(stderr).toMatch(/^error: who are you\?\n.*--as <name>.*AGENTMAIL_AGENT/)
    }
    expect(await place.json(['history'])).toEqual([])
  })
})

describeWith('tmux', 'in tmux', () => {
  it('is the name of the window', async () => {
    const session = openSession(['one', 'two'])
    const env = { AGENTMAIL_AGENT: 'other' }
    const ran = await session.run(1, ['claim', 'a.ts'], { env })
    expect(ran).toMatchObject({ stdout: 'Claimed a.ts\n', exitCode: 0 })
    expect((await session.run(0, ['claims'])).stdout).toMatch(/^a\.ts {2}two /m)
    expect((await session.run(0, ['claim', 'a.ts'])).stderr).toMatch(/ is held by two /)
  })
})
