/** Makes an MCP server of a toolset; the same for every transport and both protocol eras. */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Tool, ToolResult } from '../tools/define-tool.ts'
import { version } from '../version.ts'

export interface Toolset<Context> {
  name: string
  /** How the server calls itself, where that is not `agentmail-<name>`. */
  serverName?: string | undefined
  /** What it tells as its version, where that is not ours. */
  version?: string | undefined
  instructions: string
  tools: Tool<Context>[]
}

/**
 * Runs a tool: decides when, and with which context. The signal tells that nobody waits for the answer any more.
 * @param meta what the client tells beside the arguments, in whatever form.
 */
export type Answer<Context> = (
  tool: Tool<Context>,
  args: object | undefined,
  signal: AbortSignal,
  meta: unknown,
) => Promise<ToolResult>

/** A toolset with what it works with. */
export interface OpenToolset<Context> {
  toolset: Toolset<Context>
  answer: Answer<Context>
  /** Whether a call of this tool may wait for something; it does not hold up those that follow. */
  mayTakeLong?(tool: string): boolean
  /** Is called when no more calls will come, so that what waits can be answered. */
  stopWaiting?(): void
  /** What is under way is finished first. */
  close(): Promise<void>
}

export function makeServer<Context>(toolset: Toolset<Context>, answer: Answer<Context>): Server {
  const server = new Server(
    {
      name: toolset.serverName ?? `agentmail-${toolset.name}`,
      version: toolset.version ?? version,
    },
    { capabilities: { tools: {} }, instructions: toolset.instructions },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: toolset.tools.map((tool) => tool.listing),
  }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = toolset.tools.find((one) => one.name === params.name)
    if (tool) return answer(tool, params.arguments, mcpReq.signal, params._meta)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
  })
  const connect = server.connect.bind(server)
  server.connect = (transport) => connect(speakPlainly(transport))
  return server
}

/** The SDK tells a malformed request what its parser said, which means nothing to a caller. */
function speakPlainly(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if (!('error' in message) || !message.error.message.includes('\n'))
      return send(message, options)
    const words = 'Invalid request: its parameters do not fit the method'
    return send({ ...message, error: { code: message.error.code, message: words } }, options)
  }
  return transport
}
