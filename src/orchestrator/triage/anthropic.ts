/** Asks a model over Anthropic's Messages API. */
import Anthropic from '@anthropic-ai/sdk'
import * as z from 'zod'
import { doesNotFit } from './does-not-fit.ts'
import type { Ask } from './model.ts'
import { checkedText, exchange, type ModelService } from './model-service.ts'

const form = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
})

/** Everything is said here, so that the client looks for nothing in the environment. */
const settings = {
  authToken: null,
  webhookKey: null,
  openTelemetry: false,
  maxRetries: 0,
  logLevel: 'off',
} as const

export function askAnthropic(service: ModelService): Ask {
  const { model, apiKey, baseUrl: baseURL, timeoutMs: timeout } = service
  // Servers that speak the API of before know no other header for the key.
  const isMaker = new URL(baseURL).host === 'api.anthropic.com'
  const headers = isMaker ? {} : { 'x-api-key': apiKey }
  return async ({ system, user }, ending) => {
    const { content, stop_reason } = await exchange(service, form, ending, (fetch, signal) =>
      new Anthropic({ ...settings, apiKey, baseURL, timeout, fetch }).messages.create(
        { model, max_tokens: 4096, system, messages: [{ role: 'user', content: user }] },
        { signal, headers },
      ),
    )
    if (stop_reason === 'refusal') throw doesNotFit('the model refused')
    if (/^(max_tokens|model_context_window_exceeded)$/.test(stop_reason ?? '')) {
      throw doesNotFit('it was cut for its length')
    }
    const texts = content.map(({ type, text = '' }) => (type === 'text' ? text : ''))
    return checkedText(texts.join(''))
  }
}
