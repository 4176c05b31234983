/** The script of the demo's day: that it can be read, and holds together. */
import { describe, expect, it } from 'vitest'
import { apiDay } from './api.ts'
import { playedOn } from './played-on.ts'
import { scenesIn } from './script.ts'
import { shopAfternoon } from './shop-afternoon.ts'
import { shopMorning } from './shop-morning.ts'

const shop = scenesIn(shopMorning + shopAfternoon)
const api = scenesIn(apiDay)

describe('the script of a day', () => {
  it('gives who does what, with the text of what is said below its subject', () => {
    const scenes = scenesIn(`
12 anna starts claude in %3: writes
11 anna to ben: A question
  Is it so?
  Or so?
10 ben to everyone: Yes
9 ben edits a.ts, b.ts
8 anna goes silent
`)
    expect(scenes.map(({ time, who }) => `${time} ${who}`)).toEqual([
      ...['12 anna', '11 anna', '10 ben', '9 ben', '8 anna'],
    ])
    expect(scenes.map(({ act }) => act)).toEqual([
      { does: 'starts', client: 'claude', pane: '%3', role: 'writes' },
      { does: 'says', to: 'ben', subject: 'A question', body: 'Is it so?\nOr so?' },
      { does: 'says', to: 'everyone', subject: 'Yes', body: 'Yes' },
      { does: 'edits', files: ['a.ts', 'b.ts'] },
      { does: 'goes silent' },
    ])
  })

  it.each(['anna sleeps', '5 anna sleeps', '5 anna works\n  and says nothing'])(
    'refuses what it cannot read: %j',
    (script) => {
      expect(() => scenesIn(script)).toThrow(TypeError)
    },
  )

  it.each([
    ['shop', shop],
    ['api', api],
  ])('goes on in time, within nine hours: %s', (_, scenes) => {
    const times = scenes.map(({ time }) => time)
    expect(times).toEqual([...times].sort((one, other) => other - one))
    expect(Math.max(...times)).toBeLessThanOrEqual(540)
    expect(Math.min(...times)).toBeGreaterThan(0)
  })

  it('lets nobody act before they have come, nor after they are gone', () => {
    for (const scenes of [shop, api]) {
      const here = new Set(['human'])
      for (const { who, act } of scenes) {
        if (['starts', 'registers', 'joins'].includes(act.does)) here.add(who)
        if (act.does !== 'is swept') expect([...here]).toContain(who)
        if (['leaves', 'goes silent'].includes(act.does)) here.delete(who)
      }
    }
  })

  it('goes on with those who are there, and whom nothing keeps', () => {
    const actors = new Set(scenesIn(playedOn).map(({ who }) => who))
    expect([...actors].sort()).toEqual(
      ['api-builder', 'contracts', 'gateway', 'planner', 'reviewer', 'tests'].sort(),
    )
  })
})
