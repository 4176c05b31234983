/** The lines with which a client opens a STDIO server and asks for its tools. */
const clientInfo = { name: 'handshake', version: '0' }
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }

export const handshake = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join('')
