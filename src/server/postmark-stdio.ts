/** Serves the postmark toolset on standard input and output: `agentmail mcp postmark`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Config } from '../config.ts'
import type { Outgoing } from '../email/outgoing.ts'
import { log } from '../log.ts'
import type { Tool } from '../tools/define-tool.ts'
import type { PostmarkContext } from '../tools/postmark/context.ts'
import { tools } from '../tools/postmark/index.ts'
import { type Answer, makeServer } from './mcp-server.ts'
import { openOutgoing } from './open-outgoing.ts'
import { logged } from './send-log.ts'
import { StdioTransport } from './stdio-transport.ts'

const instructions =
  'Sends email through Postmark, once for each call. Send only what your user asked for. When the outcome is not known, do not call again before you know it.'

/** Serves until the client closes its input (0) or stops reading (1). */
export async function servePostmark(config: Config): Promise<number> {
  const from = config.text('defaultFrom')
  const toolset = {
    name: 'postmark',
    serverName: config.text('mcpServerName'),
    version: config.text('mcpServerVersion'),
    instructions,
    tools: from === undefined ? tools : tools.map(withoutFrom),
  }
  const isLogging = /^(?:true|1|yes|on)$/i.test(config.text('enableLogging')?.trim() ?? '')
  const open = opener(config)
  const answer: Answer<PostmarkContext> = async (tool, args) => {
    const filled = from !== undefined && lacksFrom(args) ? { ...args, from } : args
    const result = await (isLogging ? logged(tool, open, filled) : tool.call(open, filled))
    return { isError: false, ...result }
  }

  const transport = new StdioTransport(process.stdin, process.stdout, {
    mayTakeLong: ({ method }) => method === 'tools/call',
  })
  const ended = new Promise<number>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => resolve(0))
    transport.ended.then((isComplete) => resolve(isComplete ? 0 : 1))
  })
  serveStdio(() => makeServer(toolset, answer), {
    transport,
    onerror: (error) => log(`protocol: ${error.message}`),
  })
  return ended
}

/** The client is greeted first; what sends is loaded at the first call, and again if it could not be. */
function opener(config: Config): () => Promise<PostmarkContext> {
  let opening: Promise<Outgoing> | undefined
  const open = async () => {
    const { openPostmark } = await import('../email/providers/postmark.ts')
    return openOutgoing(config, openPostmark(config))
  }
  return async () => {
    opening ??= open()
    try {
      return { outgoing: await opening }
    } catch (error) {
      opening = undefined
      throw error
    }
  }
}

/** A default sender makes `from` optional. */
function withoutFrom<Context>(tool: Tool<Context>): Tool<Context> {
  const { inputSchema } = tool.listing
  const { required } = inputSchema
  const others = Array.isArray(required) ? required.filter((name) => name !== 'from') : []
  return {
    ...tool,
    listing: { ...tool.listing, inputSchema: { ...inputSchema, required: others } },
  }
}

const lacksFrom = (args: object = {}): boolean =>
  !('from' in args) || args.from === null || args.from === undefined || args.from === ''
