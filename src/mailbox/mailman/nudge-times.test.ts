/** When an agent is told of its mail, at times that a test chooses. */
import { describe, expect, it } from 'vitest'
import { nextNudge, type Told, toldOf } from './nudge-times.ts'

const minute = 60_000
const start = Date.parse('2026-01-01T00:00:00Z')
const at = (minutes: number) => new Date(start + minutes * minute).toISOString()

describe('the next nudge', () => {
  it('is due at once for the first mail, and a minute after the last for later mail', () => {
    expect(nextNudge(undefined, 'a', minute)).toMatchObject({ isNew: true, at: -Infinity })
    const told = { id: 'a', since: start, at: start }
    expect(nextNudge(told, 'b', minute)).toEqual({ isNew: true, at: start + minute })
  })

  it('comes for mail that waits after 10, 30 and 60 minutes, and then no more', () => {
    let told: Told = { id: 'a', since: start, at: start }
    const times: number[] = []
    for (;;) {
      const next = nextNudge(told, 'a', minute)
      if (!next) break
      expect(next.isNew).toBe(false)
      times.push((next.at - start) / minute)
      told = { ...told, at: next.at }
    }
    expect(times).toEqual([10, 30, 60])
  })

  it('makes up for what it missed with one', () => {
    const told = { id: 'a', since: start, at: start + 12 * minute }
    expect(nextNudge(told, 'a', minute)?.at).toBe(start + 30 * minute)
    expect(nextNudge({ ...told, at: start + 100 * minute }, 'a', minute)).toBeUndefined()
  })
})

describe('what an agent was told', () => {
  const newest = { id: 'b', created_at: at(5) }
  const now = start + 20 * minute

  it('is what the list notes of the mail, also when going to work has cleared the flag', () => {
    const noted = { notified_at: at(12), notified_since: at(2), notified_id: 'a' }
    const told = { id: 'a', since: start + 2 * minute, at: start + 12 * minute }
    expect(toldOf({ name: 'x', notified: true, ...noted }, newest, now)).toEqual(told)
    expect(toldOf({ name: 'x', notified: false, ...noted }, newest, now)).toEqual(told)
    expect(toldOf({ name: 'x', notified: false }, newest, now)).toBeUndefined()
  })

  it('goes by the time where no id is noted', () => {
    const told = (notified_at: string) =>
      toldOf({ name: 'x', notified: true, notified_at }, newest, now)
    expect(told(at(6))).toMatchObject({ id: 'b', at: start + 6 * minute })
    expect(told(at(4))).toMatchObject({ id: undefined })
  })

  it.each(['', 'yesterday', at(99)])('counts from now where its time is "%s"', (notified_at) => {
    const told = toldOf({ name: 'x', notified: true, notified_at }, newest, now)
    expect(told).toEqual({ id: 'b', at: now, since: now })
  })
})
