/** Guests and holders beyond the time that others go stale in, and when their server or they themselves are stopped. */
import { describe, expect, it } from 'vitest'
import {
  eventsOf,
  heldFiles,
  historySchema,
  messagesOf,
  openAgent,
  openPlace,
  Running,
  shortLives,
  ways,
} from '../../support/coordination/coordination.ts'
import { eventually } from '../../support/eventually.ts'
import { isLong } from '../../support/parts.ts'

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
