/** When an agent is told of its mail, at times that a test chooses. */
import { describe, expect, it } from 'vitest'
import { nextNudge, type Told, toldOf } from './nudge-times.ts'

const minute = 60_000
const start = Date.parse('2026-01-01T00:00:00Z')
const at = (minutes: number) => new Date(start + minutes * minute).toISOString()

const mail = (id: string) => ({ mail: { id } })

describe('the next nudge', () => {
  it('is due at once for the first mail, and a minute after the last for later mail', () => {
    expect(nextNudge(undefined, mail('a'), minute)).toMatchObject({ isNew: true, at: -Infinity })
    const told = { id: 'a', since: start, at: start }
    expect(nextNudge(told, mail('b'), minute)).toEqual({ isNew: true, at: start + minute })
  })

  it('comes for mail that waits after 10, 30 and 60 minutes, and then no more', () => {
    let told: Told = { id: 'a', since: start, at: start }
    const times: number[] = []
    for (;;) {
      const next = nextNudge(told, mail('a'), minute)
      if (!next) break
      expect(next.isNew).toBe(false)
      times.push((next.at - start) / minute)
      told = { ...told, at: next.at }
    }
    expect(times).toEqual([10, 30, 60])
  })

  it('makes up for what it missed with one', () => {
    const told = { id: 'a', since: start, at: start + 12 * minute }
    expect(nextNudge(told, mail('a'), minute)?.at).toBe(start + 30 * minute)
    expect(nextNudge({ ...told, at: start + 100 * minute }, mail('a'), minute)).toBeUndefined()
  })
})

describe('the next nudge for mail of both kinds', () => {
  const told = { id: 'a', number: 7, since: start, at: start }
  const isNew = (newest: object, before: Told = told) => nextNudge(before, newest, minute)?.isNew

  it('is for what is new of either, and neither is taken for the other', () => {
    expect(isNew({ elsewhere: { id: 7, isTold: true } })).toBe(false)
    expect(isNew({ elsewhere: { id: 8, isTold: false } })).toBe(true)
    expect(isNew({ ...mail('a'), elsewhere: { id: 7, isTold: true } })).toBe(false)
    expect(isNew({ ...mail('a'), elsewhere: { id: 8, isTold: true } })).toBe(true)
    expect(isNew({ ...mail('b'), elsewhere: { id: 7, isTold: true } })).toBe(true)
    expect(isNew(mail('7'))).toBe(true)
    expect(isNew({ elsewhere: { id: 7, isTold: false } }, { ...told, id: '7', number: 3 })).toBe(
      true,
    )
  })

  it('knows an earlier one that was left from one in another database', () => {
    expect(isNew({ elsewhere: { id: 2, isTold: true } })).toBe(false)
    expect(isNew({ elsewhere: { id: 2, isTold: false } })).toBe(true)
  })

  it('goes by what the list notes, and mail is new where only the other was told', () => {
    const noted = { name: 'x', notified: true, notified_at: at(0), notified_number: 7 }
    const before = toldOf(noted, undefined, start)
    expect(before).toEqual({ id: undefined, number: 7, since: start, at: start })
    expect(toldOf(noted, { id: 'b' }, start)).toEqual(before)
    expect(toldOf({ ...noted, notified: false }, undefined, start)).toEqual(before)
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
