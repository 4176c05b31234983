/** An exchange with the service of a model, over its maker's own client: within a deadline, and with words of ours for what goes wrong. */
import type * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { systemClock } from '../../system/clock.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { version } from '../../version.ts'
import { boundedPost, type Reply, TooLarge } from './bounded-post.ts'
import { doesNotFit } from './does-not-fit.ts'

export interface ModelService {
  model: string
  apiKey: string
  /** As the maker's client wants it. */
  baseUrl: string
  timeoutMs: number
}

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What a client sends besides may come from the environment. */
const passedHeaders = ['anthropic-version', 'x-api-key']

/** What `talk` is told by the client, if it is in the form of the API. Throws `model_unavailable`. */
export async function exchange<Answer>(
  service: ModelService,
  form: z.ZodType<Answer>,
  ending: AbortSignal | undefined,
  talk: (fetch: Fetch, signal: AbortSignal) => Promise<unknown>,
): Promise<Answer> {
  const deadline = new AbortController()
  const giveUp = () => deadline.abort()
  const timer = setTimeout(giveUp, service.timeoutMs)
  ending?.addEventListener('abort', giveUp)
  let reply: Reply | undefined
  let lost: unknown
  const post: Fetch = async (url, init = {}) => {
    const headers = headersOf(service, new Headers(init.headers))
    try {
      const body = typeof init.body === 'string' ? init.body : ''
      reply = await boundedPost(new URL(String(url)), headers, body, deadline.signal)
    } catch (error) {
      lost = error
      throw error
    }
    const asJson = { status: reply.status, headers: { 'content-type': 'application/json' } }
    return new Response(reply.body || null, asJson)
  }
  try {
    ending?.throwIfAborted()
    return form.parse(await talk(post, deadline.signal))
  } catch {
    if (ending?.aborted) throw unavailable(service, 'was not waited for any longer')
    if (deadline.signal.aborted) throw tooSlow(service)
    throw reply ? refused(service, reply) : unreachable(service, lost)
  } finally {
    clearTimeout(timer)
    ending?.removeEventListener('abort', giveUp)
  }
}

/** What the model wrote, which must be something. */
export function checkedText(text: string): string {
  if (text.trim() === '') throw doesNotFit('there is no text in it')
  return text
}

const headersOf = ({ apiKey }: ModelService, given: Headers): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  'user-agent': `agentmail/${version}`,
  ...Object.fromEntries([...given].filter(([name]) => passedHeaders.includes(name))),
})

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

function unreachable(service: ModelService, error: unknown): AgentMailError {
  if (error instanceof TooLarge) return unavailable(service, 'answered with more than 1 MB')
  const code =
    isRecord(error) && /^[A-Z_]{1,60}$/.test(String(error.code)) ? ` (${error.code})` : ''
  const next = 'It is asked again later. Is AGENTMAIL_LLM_BASE_URL right?'
  return unavailable(service, `could not be reached, or hung up${code}`, next)
}

function refused(service: ModelService, { status, body, retryAfter }: Reply): AgentMailError {
  const words = redacted(wordsOf(jsonOf(body)), [service.apiKey])
  const said = words === '' ? '' : `: ${words}`
  const seconds = secondsOf(retryAfter)
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

const longestWaitSeconds = 86_400

/** Retry-After is a number of seconds or a date. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = /^\d+(\.\d+)?$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - systemClock.now()) / 1000
  return seconds >= 0 ? Math.min(Math.ceil(seconds), longestWaitSeconds) : undefined
}
