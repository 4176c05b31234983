import { describe, expect, it } from 'vitest'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { RecipientEntry } from '../mailbox/recipient-entries.ts'
import { directory } from './directory.ts'
import { namesakes } from './namesakes.ts'
import { whereIs } from './place.ts'

const now = Date.parse('2026-01-15T12:00:00Z')
const machine = 'm1'

const agent = (
  name: string,
  place: string | null,
  more: Partial<AgentStanding> = {},
): AgentStanding => ({
  ...{ agent_id: `id of ${name}`, name, role: 'coder', registered_at: '2026-01-15T11:00:00Z' },
  ...{ last_seen: '2026-01-15T11:59:00Z', claims: 0, place, unread: 0, ...more },
})

const recipient = (name: string, more: Partial<RecipientEntry> = {}): RecipientEntry => ({
  ...{ name, spots: [{ pane: '%5', server: 7 }], unread: 0, ...more },
})

const list = (recipients: RecipientEntry[], agents: AgentStanding[]) =>
  directory({ recipients, agents, machine, now })

describe('where an agent is', () => {
  it.each([
    ['tmux m1 7 %5', 'tmux %5'],
    ['tmux m2 7 %5', 'tmux %5 on another machine'],
    ['outside m1', 'outside tmux'],
    ['outside m2', 'outside tmux on another machine'],
    [null, 'registered'],
    ['', 'registered'],
    ['tmux m1 7 %5\u001b[2J', 'registered'],
    ['anything else', 'registered'],
  ])('%j is told as %j', (place, where) => {
    expect(whereIs(place, machine)).toBe(where)
  })
})

describe('one table of everybody', () => {
  it('has one entry for whoever is registered from its own pane, with all that waits', () => {
    const lastSign = now - 1000
    expect(
      list(
        [recipient('ann', { unread: 2, status: 'ready', lastSign })],
        [agent('ann', 'tmux m1 7 %5', { unread: 3, claims: 4 })],
      ),
    ).toEqual([
      {
        ...{ agent_id: 'id of ann', name: 'ann', role: 'coder', claims: 4, unread: 5 },
        ...{ registered_at: '2026-01-15T11:00:00Z', last_seen: '2026-01-15T11:59:00Z' },
        ...{ where: 'tmux %5', state: 'ready', last_heard: '2026-01-15T11:59:59.000000Z' },
      },
    ])
  })

  it.each([
    ['another pane', 'tmux m1 7 %6'],
    ['another tmux server', 'tmux m1 8 %5'],
    ['another machine', 'tmux m2 7 %5'],
    ['outside tmux', 'outside m1'],
    ['nobody knows where', null],
  ])('has two where the agent is in %s', (_, place) => {
    const entries = list([recipient('ann')], [agent('ann', place)])
    expect(entries.map(({ agent_id }) => agent_id)).toEqual(['id of ann', null])
    expect(namesakes([recipient('ann')], [agent('ann', place)], machine)).toEqual(['ann'])
    expect(namesakes([recipient('bob')], [agent('ann', place)], machine)).toEqual([])
  })

  it('gives the mailbox to whoever was heard of last, of two at its place', () => {
    const old = agent('ann', 'tmux m1 7 %5', { last_seen: '2026-01-15T11:50:00Z' })
    const young = agent('ann', 'tmux m1 7 %5', { agent_id: 'young' })
    const entries = list([recipient('ann', { unread: 1 })], [young, old])
    expect(entries.map(({ agent_id, unread }) => [agent_id, unread])).toEqual(
      expect.arrayContaining([
        ['young', 1],
        ['id of ann', 0],
      ]),
    )
    expect(entries).toHaveLength(2)
  })

  it('tells of a session what it does, and of which client it is', () => {
    const session = { client: 'claude', state: 'waits' as const }
    const entries = list(
      [recipient('ann', { status: 'work' })],
      [agent('ann', 'tmux m1 7 %5', { session }), agent('bob', null)],
    )
    expect(entries.map(({ state, client }) => [state, client])).toEqual([
      ['waits', 'claude'],
      [null, undefined],
    ])
  })

  it('tells who is silent, but for whoever is offline or was never heard of', () => {
    const lastSign = now - 30 * 60_000
    const states = list(
      [
        recipient('a', { status: 'ready', lastSign }),
        recipient('b', { status: 'offline', lastSign }),
        recipient('c', { lastSign }),
        recipient('d', { spots: [] }),
        recipient('e', { lastSign: lastSign + 1 }),
      ],
      [],
    )
    expect(states.map(({ name, state, where }) => [name, state, where])).toEqual([
      ['a', 'silent', 'tmux %5'],
      ['b', 'offline', 'tmux %5'],
      ['c', 'silent', 'tmux %5'],
      ['d', null, 'mailbox'],
      ['e', null, 'tmux %5'],
    ])
  })
})
