/** Asks a model over the chat completions of OpenAI, which many other servers speak. */
import * as z from 'zod'
import { doesNotFit } from './decision.ts'
import { checkedText, type Maker, post } from './model-service.ts'

const form = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ),
})

export const openai: Maker = {
  baseUrl: 'https://api.openai.com/v1',
  tidied: (baseUrl) => baseUrl,
  ask:
    (service) =>
    async ({ system, user }, ending) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ]
      const asked = { path: '/chat/completions', json: { model: service.model, messages } }
      const { choices } = await post(service, asked, form, ending)
      const { message, finish_reason } = choices[0] ?? {}
      if (message?.refusal || finish_reason === 'content_filter')
        throw doesNotFit('the model refused')
      if (finish_reason === 'length') throw doesNotFit('it was cut for its length')
      return checkedText(message?.content ?? '')
    },
}
