/** The fake service of models, held against the clients of both makers in their plain use. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { llmKey, sharedLlm } from '../support/orchestrator/fake-llm.ts'

const fake = sharedLlm()

const anthropic = (apiKey = llmKey) =>
  new Anthropic({ apiKey, baseURL: fake().url, maxRetries: 0 }).messages.create({
    model: 'claude-x',
    max_tokens: 100,
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello' }],
  })
const openai = (apiKey = llmKey) =>
  new OpenAI({ apiKey, baseURL: `${fake().url}/v1`, maxRetries: 0 }).chat.completions.create({
    model: 'gpt-x',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
  })

describe('the fake service of models', () => {
  it("answers Anthropic's client", async () => {
    fake().told.push(
      { says: 'Hi' },
      { says: null, stopped: 'tool' },
      { says: 'H', stopped: 'length' },
    )
    expect(await anthropic()).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    })
    expect(await anthropic()).toMatchObject({ content: [{ type: 'tool_use' }] })
    expect(await anthropic()).toMatchObject({ stop_reason: 'max_tokens' })
    expect(fake().lastRequest).toMatchObject({ system: 'Be brief.', user: 'Hello' })
  })

  it("answers OpenAI's client", async () => {
    fake().told.push(
      { says: 'Hi' },
      { says: null, stopped: 'tool' },
      { says: 'H', stopped: 'length' },
    )
    expect((await openai()).choices[0]).toMatchObject({
      message: { content: 'Hi' },
      finish_reason: 'stop',
    })
    expect((await openai()).choices[0]?.message.tool_calls).toHaveLength(1)
    expect((await openai()).choices[0]).toMatchObject({ finish_reason: 'length' })
    expect(fake().lastRequest).toMatchObject({ system: 'Be brief.', user: 'Hello' })
  })

  it('refuses as they know it', async () => {
    await expect(anthropic('other')).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    await expect(openai('other')).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(openai('other')).rejects.toMatchObject({ code: 'invalid_api_key' })
    const limit = { status: 429, words: 'Slow down', headers: { 'retry-after': '7' } }
    fake().told.push(limit, limit, { status: 500 }, { status: 500 })
    const error = await anthropic().catch((error) => error)
    expect(error).toBeInstanceOf(Anthropic.RateLimitError)
    expect(error).toMatchObject({ type: 'rate_limit_error', apiMessage: 'Slow down' })
    expect(error.headers.get('retry-after')).toBe('7')
    await expect(openai()).rejects.toBeInstanceOf(OpenAI.RateLimitError)
    await expect(anthropic()).rejects.toBeInstanceOf(Anthropic.InternalServerError)
    await expect(openai()).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  })

  it.each(['reset', 'cut'] as const)('can %s a connection', async (told) => {
    fake().told.push(told, told)
    await expect(anthropic()).rejects.toThrow()
    await expect(openai()).rejects.toThrow()
  })
})
