/** Asks a model over Anthropic's Messages API. */
import * as z from 'zod'
import { doesNotFit } from './decision.ts'
import { checkedText, type Maker, post } from './model-service.ts'

const form = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
})

export const anthropic: Maker = {
  baseUrl: 'https://api.anthropic.com',
  tidied: (baseUrl) => baseUrl.replace(/\/v1$/, ''),
  ask: (service) => {
    const { model, apiKey, baseUrl } = service
    // Servers that speak the API of before know no other header for the key.
    const isMaker = new URL(baseUrl).host === 'api.anthropic.com'
    const headers = {
      'anthropic-version': '2026-10-21',
      ...(isMaker ? {} : { 'x-api-key': apiKey }),
    }
    return async ({ system, user }, ending) => {
      const json = { model, max_tokens: 4096, system, messages: [{ role: 'user', content: user }] }
      const asked = { path: '/v1/messages', headers, json }
      const { content, stop_reason } = await post(service, asked, form, ending)
      if (stop_reason === 'refusal') throw doesNotFit('the model refused')
      if (/^(max_tokens|model_context_window_exceeded)$/.test(stop_reason ?? '')) {
        throw doesNotFit('it was cut for its length')
      }
      const texts = content.map(({ type, text = '' }) => (type === 'text' ? text : ''))
      return checkedText(texts.join(''))
    }
  },
}
