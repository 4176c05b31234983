/** A call of a tool as one plain request over HTTP, and its answer. */
import { isRecord } from '../../system/text.ts'
import type { ToolResult } from '../../tools/define-tool.ts'
import { version } from '../../version.ts'

const protocolVersion = '2026-07-28'

const meta = {
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'agentmail', version },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const toolCall = (id: number, tool: string, args: object) => ({
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
    'mcp-method': 'tools/call',
    'mcp-name': tool,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: tool, arguments: args, _meta: meta },
  }),
})

/** What a wait that is ended answers. */
export const nothingNew: ToolResult = {
  content: [{ type: 'text', text: '{"messages":[],"has_more":false}' }],
  structuredContent: { messages: [], has_more: false },
}

/** Every tool of ours says something. */
export const isToolResult = (answer: unknown): answer is Record<string, unknown> =>
  isRecord(answer) &&
  Array.isArray(answer.content) &&
  (answer.content.length > 0 || isRecord(answer.structuredContent))

export function toolResult(result: Record<string, unknown>): ToolResult {
  const content = Array.isArray(result.content) ? result.content : []
  return {
    content: content.map((item) => ({
      type: 'text',
      text: isRecord(item) ? String(item.text) : '',
    })),
    ...(isRecord(result.structuredContent) ? { structuredContent: result.structuredContent } : {}),
    ...(result.isError ? { isError: true } : {}),
  }
}
