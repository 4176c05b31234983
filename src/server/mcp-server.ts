/** Makes an MCP server of a toolset; the same for every transport and both protocol eras. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Tool, ToolResult } from '../tools/define-tool.ts'
import { version } from '../version.ts'

export interface Toolset<Context> {
  name: string
  instructions: string
  tools: Tool<Context>[]
}

/** `answer` runs a tool: it decides when, and with which context. */
export function makeServer<Context>(
  toolset: Toolset<Context>,
  answer: (tool: Tool<Context>, args: object | undefined) => Promise<ToolResult>,
): Server {
  const server = new Server(
    { name: `agentmail-${toolset.name}`, version },
    { capabilities: { tools: {} }, instructions: toolset.instructions },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: toolset.tools.map((tool) => tool.listing),
  }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = toolset.tools.find((one) => one.name === params.name)
    if (tool) return answer(tool, params.arguments)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
  })
  return server
}
