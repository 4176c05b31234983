/** Serves the postmark toolset on standard input and output: `agentmail mcp postmark`. */
import type { Config } from '../../config.ts'
import { MailDesk } from '../../email/mail-desk.ts'
import { openProvider } from '../../email/mail-provider.ts'
import type { Tool } from '../../tools/define-tool.ts'
import type { PostmarkContext } from '../../tools/postmark/context.ts'
import { tools } from '../../tools/postmark/index.ts'
import type { Answer } from '../mcp-server.ts'
import { logged } from '../send-log.ts'
import { serveOnStdio } from '../serve-on-stdio.ts'

const instructions =
  'Sends email through Postmark, once for each call. Send only what your user asked for. When the outcome is not known, do not call again before you know it.'

/** Serves until the client closes its input (0) or stops reading (1). What is being sent then is finished first. */
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
  const outgoing = new MailDesk(config, () => openProvider(config, 'postmark'))
  const open = async () => ({ outgoing })
  const answer: Answer<PostmarkContext> = async (tool, args) => {
    const filled = from !== undefined && lacksFrom(args) ? { ...args, from } : args
    const result = await (isLogging ? logged(tool, open, filled) : tool.call(open, filled))
    return { isError: false, ...result }
  }

  const exitCode = await serveOnStdio(toolset, answer, {
    mayTakeLong: ({ method }) => method === 'tools/call',
  })
  await outgoing.close()
  return exitCode
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
