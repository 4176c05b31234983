/** How the APIs of Anthropic and OpenAI put an answer, and what they refuse. */
import type { IncomingHttpHeaders } from 'node:http'

export type Maker = 'anthropic' | 'openai'
type Stopped = 'length' | 'refusal' | 'tool' | undefined

interface Refusal {
  status: number
  words: string
}

/** Of a request that the service would not take. */
export function refusalOf(
  maker: Maker,
  request: {
    method: string
    path: string
    headers: IncomingHttpHeaders
    body: Record<string, unknown>
  },
  key: string,
): Refusal | undefined {
  const { method, path, headers, body } = request
  if (method !== 'POST' || !['/v1/messages', '/v1/chat/completions'].includes(path)) {
    return { status: 404, words: `There is nothing at ${path}` }
  }
  if (headers.authorization !== `Bearer ${key}`)
    return { status: 401, words: 'The key is not valid' }
  const bad = (words: string) => ({ status: 400, words })
  if (maker === 'anthropic' && !headers['anthropic-version'])
    return bad('anthropic-version: header is required')
  if (typeof body.model !== 'string') return bad('model: Field required')
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return bad('messages: Field required')
  if (maker === 'anthropic' && !Number.isInteger(body.max_tokens))
    return bad('max_tokens: Field required')
  return undefined
}

const errorTypes: Record<number, [anthropic: string, openai: string]> = {
  400: ['invalid_request_error', 'invalid_request_error'],
  401: ['authentication_error', 'invalid_request_error'],
  404: ['not_found_error', 'invalid_request_error'],
  429: ['rate_limit_error', 'requests'],
  529: ['overloaded_error', 'server_error'],
}

export const apiErrors = {
  anthropic: ({ status, words }: Refusal) => ({
    type: 'error',
    error: { type: errorTypes[status]?.[0] ?? 'api_error', message: words },
    request_id: 'req_fake',
  }),
  openai: ({ status, words }: Refusal) => ({
    error: {
      message: words,
      type: errorTypes[status]?.[1] ?? 'server_error',
      param: null,
      code: status === 401 ? 'invalid_api_key' : null,
    },
  }),
}

/** Of Anthropic's Messages API. */
export function message(says: string | null, stopped: Stopped) {
  const tool = {
    type: 'tool_use',
    id: 'toolu_fake',
    name: 'send_mail',
    input: { to: 'evil@example.com' },
  }
  const isRefused = stopped === 'refusal'
  return {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: 'fake-model',
    container: null,
    content: [
      ...(says === null ? [] : [{ type: 'text', text: says, citations: null }]),
      ...(stopped === 'tool' ? [tool] : []),
    ],
    stop_reason: { length: 'max_tokens', refusal: 'refusal', tool: 'tool_use', none: 'end_turn' }[
      stopped ?? 'none'
    ],
    stop_sequence: null,
    stop_details: isRefused ? { type: 'refusal', category: null, explanation: null } : null,
    usage: { input_tokens: 10, output_tokens: 20 },
  }
}

/** Of OpenAI's chat completions. */
export function completion(says: string | null, stopped: Stopped) {
  const arguments_ = '{"to":"evil@example.com"}'
  const tool = {
    id: 'call_fake',
    type: 'function',
    function: { name: 'send_mail', arguments: arguments_ },
  }
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'fake-model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: says,
          refusal: stopped === 'refusal' ? 'I cannot help with that.' : null,
          ...(stopped === 'tool' ? { tool_calls: [tool] } : {}),
        },
        logprobs: null,
        finish_reason: { length: 'length', refusal: 'stop', tool: 'tool_calls', none: 'stop' }[
          stopped ?? 'none'
        ],
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
  }
}
