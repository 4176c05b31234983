/** The lines with which a client opens a STDIO server and asks for its tools. */

export const handshake = handshakeIn('2025-11-25')

/** In a revision of the protocol. */
export function handshakeIn(protocolVersion) {
  const clientInfo = { name: 'handshake', version: '0' }
  const params = { protocolVersion, capabilities: {}, clientInfo }
  return linesOf(
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  )
}

/** What a server cannot answer with a greeting. */
export const ping = linesOf({ jsonrpc: '2.0', id: 3, method: 'ping' })

function linesOf(...messages) {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}
