/** An exchange with the service of a model: within a deadline, and with words of ours for what goes wrong. */
import type * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { exchange, type HttpReply, NoReply } from '../../system/http-request.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { version } from '../../version.ts'
import { doesNotFit } from './decision.ts'
import type { Ask } from './model.ts'

export interface ModelService {
  model: string
  apiKey: string
  /** As its maker tidied it. */
  baseUrl: string
  timeoutMs: number
}

/** Whose API is spoken. */
export interface Maker {
  baseUrl: string
  /** An address that a person gives, as the paths of the API can be put after it. */
  tidied(baseUrl: string): string
  ask(service: ModelService): Ask
}

interface Asked {
  path: string
  headers?: Record<string, string>
  json: object
}

const maxReplyBytes = 1 << 20

/** What the service answers, if it is in the form of the API. Throws `model_unavailable`. */
export async function post<Answer>(
  service: ModelService,
  { path, headers, json }: Asked,
  form: z.ZodType<Answer>,
  ending: AbortSignal | undefined,
): Promise<Answer> {
  const request = {
    url: new URL(`${service.baseUrl}${path}`),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${service.apiKey}`,
      'user-agent': `agentmail/${version}`,
      ...headers,
    },
    json,
    limit: service.timeoutMs,
    outer: [ending],
  }
  const reply = await exchange(request, maxReplyBytes).catch((error) => {
    if (ending?.aborted) throw unavailable(service, 'was not waited for any longer')
    throw error instanceof NoReply && error.isLate ? tooSlow(service) : unreachable(service, error)
  })
  const { status, body } = reply
  if (body === undefined) throw unavailable(service, 'answered with more than 1 MB')
  const answer = form.safeParse(jsonOf(body))
  if (answer.success && status >= 200 && status < 300) return answer.data
  throw refused(service, reply)
}

/** What the model wrote, which must be something. */
export function checkedText(text: string): string {
  if (text.trim() === '') throw doesNotFit('there is no text in it')
  return text
}

const unavailable = (
  { baseUrl }: ModelService,
  what: string,
  next = 'It is asked again later.',
  details: Record<string, unknown> = {},
) =>
  new AgentMailError('model_unavailable', `the model at ${new URL(baseUrl).host} ${what}`, next, {
    details,
  })

const tooSlow = (service: ModelService) =>
  unavailable(
    service,
    `did not answer within ${service.timeoutMs / 1000} seconds`,
    'It is asked again later. AGENTMAIL_LLM_TIMEOUT_SECONDS gives it more time.',
  )

function unreachable(service: ModelService, { cause }: Error): AgentMailError {
  const code =
    isRecord(cause) && /^[A-Z_]{1,60}$/.test(String(cause.code)) ? ` (${cause.code})` : ''
  const next = 'It is asked again later. Is AGENTMAIL_LLM_BASE_URL right?'
  return unavailable(service, `could not be reached, or hung up${code}`, next)
}

function refused(service: ModelService, reply: HttpReply): AgentMailError {
  const { status, body = '', retryAfterSeconds: seconds } = reply
  const words = redacted(wordsOf(jsonOf(body)), [service.apiKey])
  const said = words === '' ? '' : `: ${words}`
  const details = { status, ...(seconds === undefined ? {} : { retry_after_seconds: seconds }) }
  const what = status === 200 ? 'answered, but not as its API does' : `answered with HTTP ${status}`
  return unavailable(service, `${what}${said}`, nextFor(status), details)
}

function nextFor(status: number): string | undefined {
  if (status === 401 || status === 403) return 'Check AGENTMAIL_LLM_API_KEY.'
  if (status === 200 || status === 404) return 'Check AGENTMAIL_LLM and AGENTMAIL_LLM_BASE_URL.'
  if (status < 400) return 'Set AGENTMAIL_LLM_BASE_URL to where it is now: no redirect is followed.'
  return undefined
}

/** Both makers say `{error: {message}}`, others `{error}` or `{message}`. */
function wordsOf(body: unknown): string {
  if (!isRecord(body)) return ''
  const { error, message } = body
  const words = [isRecord(error) ? error.message : error, message]
  return words.find((word) => typeof word === 'string') ?? ''
}
