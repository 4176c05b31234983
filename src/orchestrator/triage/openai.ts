/** Asks a model over the chat completions of OpenAI, which many other servers speak. */
import OpenAI from 'openai'
import * as z from 'zod'
import { doesNotFit } from './does-not-fit.ts'
import type { Ask } from './model.ts'
import { checkedText, exchange, type ModelService } from './model-service.ts'

const form = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ),
})

/** Everything is said here, so that the client looks for nothing in the environment. */
const settings = {
  adminAPIKey: null,
  organization: null,
  project: null,
  webhookSecret: null,
  maxRetries: 0,
  logLevel: 'off',
} as const

export function askOpenAi(service: ModelService): Ask {
  const { model, apiKey, baseUrl: baseURL, timeoutMs: timeout } = service
  return async ({ system, user }, ending) => {
    const { choices } = await exchange(service, form, ending, (fetch, signal) =>
      new OpenAI({ ...settings, apiKey, baseURL, timeout, fetch }).chat.completions.create(
        {
          model,
          messages: [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ],
        },
        { signal },
      ),
    )
    const { message, finish_reason } = choices[0] ?? {}
    if (message?.refusal || finish_reason === 'content_filter')
      throw doesNotFit('the model refused')
    if (finish_reason === 'length') throw doesNotFit('it was cut for its length')
    return checkedText(message?.content ?? '')
  }
}
