/** The postmark toolset with the service that it sends through: `agentmail mcp postmark`. */
import type { Config } from '../../config.ts'
import { sendingAgent } from '../../connection/sending-agent.ts'
import { Correspondence } from '../../email/correspondence.ts'
import { openProvider } from '../../email/mail-provider.ts'
import type { MailRequest } from '../../email/outgoing/mail-request.ts'
import type { Outgoing } from '../../email/outgoing/outgoing.ts'
import { AgentMailError } from '../../errors.ts'
import { log } from '../../system/log.ts'
import type { Tool, ToolResult } from '../../tools/define-tool.ts'
import type { PostmarkContext } from '../../tools/postmark/context.ts'
import { tools } from '../../tools/postmark/index.ts'
import type { OpenToolset } from '../server.ts'
import { serveOnStdio } from '../stdio.ts'

const instructions =
  'Sends email through Postmark, once for each call: send_email, or send_template_email. Send only what your user asked for. When the outcome is not known, do not call again before you know it.'

function openPostmarkToolset(config: Config): OpenToolset<PostmarkContext> {
  const from = config.text('defaultFrom')
  const isLogging = /^(?:true|1|yes|on)$/i.test(config.text('enableLogging')?.trim() ?? '')
  const mail = new Correspondence(config, () => openProvider(config, 'postmark'), {
    asker: sendingAgent(config),
  })
  const open = async () => ({ outgoing: mail })
  return {
    toolset: {
      name: 'postmark',
      serverName: config.text('mcpServerName'),
      version: config.text('mcpServerVersion'),
      instructions,
      tools: from === undefined ? tools : tools.map(withoutFrom),
    },
    async answer(tool, args) {
      const filled = from !== undefined && lacksFrom(args) ? { ...args, from } : args
      const result = await (isLogging ? logged(tool, open, filled) : tool.call(open, filled))
      return { isError: false, ...result }
    },
    mayTakeLong: () => true,
    close: () => mail.close(),
  }
}

export const servePostmark = async (config: Config): Promise<number> =>
  serveOnStdio(openPostmarkToolset(config))

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

type Sender = Pick<Outgoing, 'send'>

/** Calls a tool that sends, with one line on stderr: how many the mail was for and what became of it, never what it said. */
async function logged<Context extends { outgoing: Sender }>(
  tool: Tool<Context>,
  open: () => Promise<Context>,
  args: object | undefined,
): Promise<ToolResult> {
  const start = performance.now()
  let recipients = ''
  let failure: unknown
  const watched = async () => {
    const context = await open()
    const send = async (request: MailRequest) => {
      recipients = recipientsOf(request)
      return context.outgoing.send(request)
    }
    return { ...context, outgoing: { send: (request: MailRequest) => send(request).catch(keep) } }
  }
  const keep = (error: unknown) => {
    failure = error
    throw error
  }
  const result = await tool.call(watched, args)
  const outcome = result.structuredContent?.status ?? faultOf(failure)
  const ms = Math.round(performance.now() - start)
  log([`${tool.name}: ${outcome}`, ...(recipients ? [recipients] : []), `${ms} ms`].join(', '))
  return result
}

/** @example recipientsOf({ to: 'Jane <jane@example.com>', … }) // '1 recipient at example.com' */
function recipientsOf({ to, cc, bcc }: MailRequest): string {
  const domains = [to, cc, bcc].flatMap((list) =>
    [...(list ?? '').matchAll(/@([\p{L}\p{N}.-]+)/gu)].map(([, domain = '']) =>
      domain.toLowerCase(),
    ),
  )
  const places = [...new Set(domains)].slice(0, 5).join(' ')
  return `${domains.length} recipient${domains.length === 1 ? '' : 's'} at ${places}`
}

function faultOf(error: unknown): string {
  if (!AgentMailError.is(error)) return 'not sent'
  const { outcome, postmark_code } = error.details ?? {}
  const code = typeof postmark_code === 'number' ? `, Postmark error code ${postmark_code}` : ''
  return `${outcome === 'unknown' ? 'outcome unknown' : 'not sent'} (${error.code}${code})`
}
