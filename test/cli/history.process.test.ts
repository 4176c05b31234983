/** agentmail history: who claimed, released, announced, said what, and when. */
import { describe, expect, it } from 'vitest'
import {
  historySchema,
  openAgent,
  openPlace,
  type Way,
  ways,
} from '../support/coordination/coordination.ts'

/** Two agents that do a little of everything. */
async function openWithHistory(way: Way) {
  const place = await openPlace(way)
  const ann = await openAgent(place, 'ann', { role: 'coder' })
  await ann.call('claim_files', { files: ['./src//a.ts', 'b.ts'] })
  const bob = await openAgent(place, 'bob', { role: 'reviewer' })
  await bob.call('send_message', { channel: 'builds', subject: 'subject', body: 'one\ntwo' })
  await ann.call('announce_change', { file_path: 'src/a.ts', summary: 'better' })
  await ann.call('release_files', { files: ['src/a.ts', 'b.ts'] })
  await bob.call('claim_files', { files: ['src/a.ts'] })
  const history = async (...args: string[]) =>
    historySchema.parse(await place.json(['history', ...args]))
  const told = async (...args: string[]) =>
    (await history(...args)).map(({ agent_name, event, file }) =>
      [agent_name, event, file].filter((part) => part !== null).join(' '),
    )
  return { place, ann, bob, history, told }
}

describe.each(ways)('through %s', (way) => {
  it('tells everything in its order, or only what is asked for', async () => {
    const { ann, bob, history, told, place } = await openWithHistory(way)
    const entries = await history()
    const byAnn = { agent_id: ann.id, agent_name: 'ann' }
    const byBob = { agent_id: bob.id, agent_name: 'bob' }
    expect(entries.map(({ at: _, ...entry }) => entry)).toEqual([
      { ...byAnn, event: 'registered', file: null, text: 'coder' },
      { ...byAnn, event: 'claimed', file: 'src/a.ts', text: null },
      { ...byAnn, event: 'claimed', file: 'b.ts', text: null },
      { ...byBob, event: 'registered', file: null, text: 'reviewer' },
      { ...byBob, event: 'said', file: null, text: '[builds] subject\none\ntwo' },
      { ...byAnn, event: 'announced', file: 'src/a.ts', text: 'better' },
      { ...byAnn, event: 'released', file: 'src/a.ts', text: null },
      { ...byAnn, event: 'released', file: 'b.ts', text: null },
      { ...byBob, event: 'claimed', file: 'src/a.ts', text: null },
    ])
    const times = entries.map(({ at }) => at)
    for (const at of times) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect([...new Set(times)].sort()).toEqual(times)

    const { stdout } = await place.run(['history'])
    expect(stdout.replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gm, '<time>').split('\n')).toEqual([
      '<time>  ann               registered  coder',
      '<time>  ann               claimed     src/a.ts',
      '<time>  ann               claimed     b.ts',
      '<time>  bob               registered  reviewer',
      '<time>  bob               said        [builds] subject one two',
      '<time>  ann               announced   src/a.ts  better',
      '<time>  ann               released    src/a.ts',
      '<time>  ann               released    b.ts',
      '<time>  bob               claimed     src/a.ts',
      '',
    ])

    const ofFile = [
      'ann claimed src/a.ts',
      'ann announced src/a.ts',
      'ann released src/a.ts',
      'bob claimed src/a.ts',
    ]
    expect(await told('--file', './src/../src//a.ts')).toEqual(ofFile)
    expect(await told('--file', 'src/a.ts', '--agent', 'bob')).toEqual(['bob claimed src/a.ts'])
    const ofBob = ['bob registered', 'bob said', 'bob claimed src/a.ts']
    expect(await told('--agent', bob.id)).toEqual(ofBob)
    const [said = '', announced = '', released = ''] = ['said', 'announced', 'released'].map(
      (wanted) => entries.findLast(({ event }) => event === wanted)?.at,
    )
    expect(await history('--since', 'yesterday', '--as-of', '0s')).toEqual(entries)
    expect(await told('--since', '5m', '--as-of', '3d')).toEqual([])
    const between = ['ann announced src/a.ts', 'ann released src/a.ts', 'ann released b.ts']
    expect(await told('--since', inZone(said, 2), '--as-of', inZone(released, -5))).toEqual(between)
    await bob.say('later')
    expect(await history('--as-of', announced)).toEqual(entries.slice(0, 6))
  })
})

/** The same time, as a clock shows it so many hours from Greenwich. */
function inZone(at: string, hours: number): string {
  const there = new Date(Date.parse(at) + hours * 60 * 60_000).toISOString()
  const offset = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`
  return `${there.slice(0, 19)}${at.slice(19, -1)}${offset}`
}
