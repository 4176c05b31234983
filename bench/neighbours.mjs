/** How soon a message that was sent to one server reaches a reader that waits at another one of the same database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { timed } from './measure.mjs'
import { letter } from './servers.mjs'

const wakes = 100
/** Long enough for the other to wait, and at no fixed moment between two looks at the database. */
const pause = () => sleep(100 + Math.random() * 300)

/** On all stores at once, since it is mostly waiting. */
export async function neighbourTimes(houses) {
  const entries = Object.entries(houses).map(async ([name, house]) => [name, await times(house)])
  return Object.fromEntries(await Promise.all(entries))
}

async function times({ server, startNeighbour }) {
  const neighbour = await startNeighbour()
  const sender = await server.register('sender')
  const reader = await neighbour.register('reader')
  const send = () => server.call('send_message', { agent_id: sender, ...letter })
  const times = []
  let { message_id: last } = await send()
  while (times.length < wakes) {
    const request = { agent_id: reader, after_id: last, wait_seconds: 50 }
    const waiting = neighbour.call('read_messages', request)
    await pause()
    let sent
    times.push(
      await timed(() => {
        sent = send()
        return waiting
      }),
    )
    last = (await sent).message_id
  }
  return times
}
