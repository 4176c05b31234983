/** A day as lanes: what was held, said and changed, and any moment of it. */
import { describe, expect, it } from 'vitest'
import type { ClaimView, JournalView } from '../../person/shapes.ts'
import { lanesOf, matrixOf, momentIn } from './day.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString()
const ms = (minute: number) => Date.parse(at(minute))
let last = 0
const entry = (
  minute: number,
  agent: string,
  event: JournalView['event'],
  more: Partial<JournalView> = {},
): JournalView => ({
  ...{ project: 'shop', entry: ++last, at: at(minute), agent_id: `id of ${agent}`, agent, event },
  ...{ file: null, message: null, text: null, ...more },
})
const said = (minute: number, agent: string, channel: string) =>
  entry(minute, agent, 'said', { message: { id: minute, channel, subject: 's', excerpt: 's' } })
const held: ClaimView = {
  ...{ project: 'shop', path: 'c.ts', agent_id: 'id of web', agent: 'web' },
  ...{ since: at(-30), by_hook: false },
}
const day = [
  entry(0, 'web', 'registered'),
  entry(1, 'web', 'claimed', { file: 'a.ts' }),
  entry(3, 'web', 'released', { file: 'b.ts' }),
  said(4, 'web', '@tests'),
  entry(5, 'web', 'announced', { file: 'a.ts', text: 'smaller' }),
  entry(6, 'web', 'released', { file: 'a.ts' }),
  said(7, 'tests', '@web'),
  said(8, 'tests', 'broadcast'),
  entry(9, 'tests', 'left'),
]

describe('the lanes of a day', () => {
  const lanes = lanesOf(day, [held], [])
  const heldAt = (minute: number) =>
    Object.fromEntries(
      momentIn(lanes, ms(minute)).map(({ lane, paths }) => [lane.agent, paths.sort()]),
    )

  it('are one an agent, whoever did something last first', () => {
    expect(lanes.map(({ agent }) => agent)).toEqual(['tests', 'web'])
    expect(lanes[1]?.ticks).toMatchObject([{ path: 'a.ts', text: 'smaller' }])
  })

  it('show any moment as it was: who was here and held what', () => {
    expect(heldAt(-10)).toEqual({ tests: [], web: ['b.ts', 'c.ts'] })
    expect(heldAt(2)).toEqual({ tests: [], web: ['a.ts', 'b.ts', 'c.ts'] })
    expect(heldAt(4)).toEqual({ tests: [], web: ['a.ts', 'c.ts'] })
    expect(heldAt(7)).toEqual({ tests: [], web: ['c.ts'] })
    expect(heldAt(10)).toEqual({ web: ['c.ts'] })
  })

  it('count who wrote to whom, in the time that is looked at', () => {
    const all = matrixOf(lanes, ms(0), ms(10))
    expect(all.at('web', '@tests')).toBe(1)
    expect(all.at('tests', '@web')).toBe(1)
    expect(all.at('tests', 'broadcast')).toBe(1)
    expect(matrixOf(lanes, ms(0), ms(5)).at('tests', '@web')).toBe(0)
  })
})
