/** One line on stderr for each mail: how many it was for and what became of it, never what it said. */
import type { MailRequest } from '../email/outgoing/mail-request.ts'
import type { Outgoing } from '../email/outgoing/outgoing.ts'
import { AgentMailError } from '../errors.ts'
import { log } from '../system/log.ts'
import type { Tool, ToolResult } from '../tools/define-tool.ts'

type Sender = Pick<Outgoing, 'send'>

/** Calls a tool that sends, and logs how that went. */
export async function logged<Context extends { outgoing: Sender }>(
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
