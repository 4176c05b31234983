/** B4: durable messages a second, beside the least that the SDK could do. */
import { median, throughput } from './measure.mjs'
import { letter } from './servers.mjs'

const inFlight = 16
const rounds = 9
const roundMs = 700

/** Both servers in turn, in each protocol era. */
export async function sendRows(start) {
  const ours = await start.agentmail('ours')
  const bare = await start.bare('bare')
  const agent_id = await ours.register('sender')
  const eras = { modern: { ours: [], bare: [] }, legacy: { ours: [], bare: [] } }
  const measure = async (server, era, ms) => {
    const send = () => server.call('send_message', { agent_id, ...letter }, era)
    return (await throughput(inFlight, ms, send)).rate
  }
  for (const era of Object.keys(eras)) {
    for (const server of [ours, bare]) await measure(server, era, 2 * roundMs) // to warm up
  }
  for (let round = 0; round < rounds; round++) {
    for (const [era, rates] of Object.entries(eras)) {
      rates.ours.push(await measure(ours, era, roundMs))
      rates.bare.push(await measure(bare, era, roundMs))
    }
  }
  return Object.entries(eras).map(([era, rates]) => ({
    id: 'B4',
    what: `durable \`send_message\` over HTTP, ${inFlight} in flight, ${era} era`,
    value: median(rates.ours),
    base: 'the SDK alone, one row a call',
    baseValue: median(rates.bare),
    unit: 'calls/s',
    atLeast: 1,
  }))
}
