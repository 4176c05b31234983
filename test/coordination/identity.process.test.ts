/** Who acts when a coordination command is run: the agent of that name, or a guest that leaves again. */
import { describe, expect, it } from 'vitest'
import {
  eventsOf,
  heldFiles,
  messagesOf,
  openAgent,
  openPlace,
  Running,
  subjectsOf,
  ways,
} from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

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
    expect(await ann.call('heartbeat')).toMatchObject({ ok: true })
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

  it('stays as a guest for as long as it holds files, and leaves with the last of them', async () => {
    const place = await openPlace(way)
    const present = async () => {
      const { agents } = Object(await place.json(['agents']))
      return agents.map(({ name }: { name: string }) => name)
    }
    await place.run(['claim', 'a.ts', 'lib/', '--as', 'bob'])
    await place.run(['post', 'working', 'b', '--as', 'bob'])
    await place.run(['release', 'a.ts', '--as', 'bob'])
    expect(await present()).toEqual(['bob'])
    await place.run(['release', 'lib/', '--as', 'bob'])
    expect(await present()).toEqual([])
    expect(await eventsOf(place, 'bob')).toEqual([
      ...['registered', 'claimed', 'claimed', 'said', 'released', 'released', 'left'],
    ])
  })

  it('releases what it holds, and only that, on SIGTERM', async () => {
    const place = await openPlace(way)
    await place.run(['claim', 'lib/a.ts', 'mine.ts', '--as', 'ann'])
    const args = ['claim', 'own.ts', 'mine.ts', 'lib/', '--hold', '--json', '--as', 'ann']
    const holding = new Running(place, args)
    await eventually('it holds the files', () => holding.lines.length === 1)
    expect(JSON.parse(holding.stdout)).toEqual({
      claimed: ['own.ts', 'mine.ts', 'lib/'],
      conflicts: [],
    })
    expect(await heldFiles(place)).toEqual(['lib/**', 'lib/a.ts', 'mine.ts', 'own.ts'])
    expect(await holding.stop('SIGTERM')).toMatchObject({ exitCode: 0, signal: null, stderr: '' })
    expect(await heldFiles(place)).toEqual(['lib/a.ts', 'mine.ts'])
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
  it('is the name of the window, but for one that was given', async () => {
    const session = openSession(['one', 'two', 'three'])
    const ran = await session.run(1, ['claim', 'a.ts'])
    expect(ran).toMatchObject({ stdout: 'Claimed a.ts\n', exitCode: 0 })
    expect((await session.run(0, ['claims'])).stdout).toMatch(/^a\.ts {2}two /m)
    expect((await session.run(0, ['claim', 'a.ts'])).stderr).toMatch(/ is held by two /)
    await session.run(2, ['name', 'given'])
    await session.run(2, ['claim', 'b.ts'])
    await session.run(2, ['claim', 'c.ts'], { env: { AGENTMAIL_AGENT: 'chosen' } })
    const { stdout } = await session.run(0, ['claims'])
    expect(stdout).toMatch(/^b\.ts {2}given .*\nc\.ts {2}chosen /m)
  })
})
