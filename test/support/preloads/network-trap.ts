/** Loaded into a server before anything else: whoever reaches for the network is written down, and gets nothing. */

import dgram from 'node:dgram'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const trapped = (what: string) => () => {
  appendFileSync(process.env.NETWORK_TRAP ?? '', `${what}\n`)
  throw new Error(`The network is trapped: ${what}`)
}

/** The one port that may be reached, if any. */
const allowed = Number(process.env.NETWORK_TRAP_EXCEPT ?? 0)
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const port = /"port":"?(\d+)/.exec(JSON.stringify(args))?.[1]
  if (Number(port) === allowed) return Reflect.apply(connect, this, args)
  return trapped('connect')()
}
dgram.createSocket = trapped('datagram')
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6'] as const) {
  Object.assign(dns, { [name]: trapped(name) })
  Object.assign(dns.promises, { [name]: trapped(name) })
}
syncBuiltinESMExports()
