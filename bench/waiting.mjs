/** B7 and B8: how soon a waiting agent hears of a message, and what a thousand that wait cost. */
import { median, p99, timed } from './measure.mjs'
import { letter } from './servers.mjs'

const wakes = 600
const warmUpWakes = 50
const waiters = 1000
/** Longer than the pause between two signs of life on a stream, which open it. */
const waitSeconds = 20

/** A plain call, then a send that wakes a reader, in turn. */
export async function wakeRow(start) {
  const server = await start.agentmail('wake')
  const sender = await server.register('sender')
  const reader = await server.register('reader')
  const read = (agent_id, after_id, wait_seconds) =>
    server.call('read_messages', { agent_id, after_id, wait_seconds })
  const send = () => server.call('send_message', { agent_id: sender, ...letter })
  const plain = []
  const woken = []
  let { message_id: last } = await send()
  for (let wake = -warmUpWakes; wake < wakes; wake++) {
    const waiting = read(reader, last, 50)
    // It comes later to a server that takes calls in turn: when it is answered, the other waits.
    const once = await timed(() => read(sender, last, 0))
    let sent
    const took = await timed(() => {
      sent = send()
      return waiting
    })
    last = (await sent).message_id
    if (wake < 0) continue
    plain.push(once)
    woken.push(took)
  }
  return {
    id: 'B7',
    what: '`send_message` until a waiting `read_messages` returns, p99',
    value: p99(woken),
    base: 'one `read_messages`, p99',
    baseValue: p99(plain),
    atMost: 3,
  }
}

/** Two servers at once, one for each protocol era: memory does not mind the other's load. */
export function memoryRows(start) {
  return Promise.all(
    ['modern', 'legacy'].map(async (era) => memoryRow(era, await start.agentmail(era))),
  )
}

/** The most that it takes while a thousand agents wait, over what it takes when the same agents do not. */
async function memoryRow(era, server) {
  const agents = []
  while (agents.length < waiters) agents.push(await server.register(`agent-${agents.length}`))
  const read = (agent_id, wait_seconds) =>
    server.call('read_messages', { agent_id, after_id: 0, wait_seconds }, era)
  for (const agent of agents) await read(agent, 0)
  const idle = median(await memoryFor(server, 5))
  const waits = agents.map((agent) => read(agent, 50))
  const waiting = Math.max(...(await memoryFor(server, waitSeconds)))
  await server.call('send_message', { agent_id: agents[0], ...letter })
  await Promise.all(waits)
  return {
    id: 'B8',
    what: `memory of the server, ${waiters.toLocaleString('en')} agents waiting, ${era} era`,
    value: waiting,
    base: 'none waiting',
    baseValue: idle,
    unit: 'MB',
    atMost: 2,
  }
}

/** One sample a second. */
async function memoryFor(server, seconds) {
  const samples = []
  while (samples.length < seconds) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    samples.push(server.memory())
  }
  return samples
}
