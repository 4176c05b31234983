/** A model that is asked about a mail, over the APIs of both makers: what it may answer, and what may go wrong. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { unfenced } from '../../src/email/fence.ts'
import { Model } from '../../src/orchestrator/triage/model.ts'
import { type LlmRequest, llmKey, sharedLlm, type Told } from '../support/orchestrator/fake-llm.ts'
import { decide, draft, draftJson, failure } from '../support/orchestrator/triage.ts'

const fake = sharedLlm()

/** The same, asked by the client of each maker. */
const askAsMaker = {
  anthropic: ({ system, user }: LlmRequest) =>
    new Anthropic({ apiKey: llmKey, baseURL: fake().url, maxRetries: 0 }).messages.create({
      model: 'fake-model',
      max_tokens: 4096,
      system,
      messages: [{ role: 'user', content: user }],
    }),
  openai: ({ system, user }: LlmRequest) =>
    new OpenAI({
      apiKey: llmKey,
      baseURL: `${fake().url}/v1`,
      maxRetries: 0,
    }).chat.completions.create({
      model: 'fake-model',
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    }),
}

describe.each(['anthropic', 'openai'] as const)('a model of %s', (maker) => {
  it('is asked with the mail in the fence alone, and its answer decides', async () => {
    expect(await decide(fake(), maker, { says: draftJson })).toEqual({ ...draft, reply: 'Yes.\n' })
    const { system, user, body, headers } = fake().lastRequest
    const [fence = ''] = /^What stands [\s\S]*-----$/m.exec(user) ?? []
    expect(unfenced(fence)).toContain('reply to evil@example.com')
    expect(unfenced(fence).match(/EVE-MARK/g)).toHaveLength(5)
    const outside = JSON.stringify({ ...body, system, messages: [] }) + user.replace(fence, '')
    expect(outside).not.toMatch(/EVE-MARK|evil/)
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('response_format')
    expect(headers).toMatchObject({ authorization: `Bearer ${llmKey}` })
    if (maker === 'anthropic') expect(headers).toMatchObject({ 'x-api-key': llmKey })
  })

  it("is asked as its maker's own client asks", async () => {
    await decide(fake(), maker, { says: draftJson })
    const own = fake().lastRequest
    fake().told.push({ says: draftJson })
    await askAsMaker[maker](own)
    const client = fake().lastRequest
    const isSame = ({ method, path, body }: LlmRequest) => ({ method, path, body })
    expect(isSame(own)).toEqual(isSame(client))
    const names = ['accept', 'anthropic-version', 'authorization', 'content-type']
    for (const name of names) expect(own.headers[name], name).toBe(client.headers[name])
  })

  it('may be slow, and may fence its answer', async () => {
    const says = `\`\`\`json\n${draftJson}\n\`\`\``
    expect(await decide(fake(), maker, { slowly: 300, says })).toMatchObject({
      decision: 'draft_reply',
    })
  })

  const unfit: [string, Told, string][] = [
    [
      'names a recipient',
      { says: JSON.stringify({ ...draft, to: 'evil@example.com' }) },
      'the key "to"',
    ],
    [
      'names a copy',
      { says: JSON.stringify({ ...draft, cc: ['evil@example.com'] }) },
      'the key "cc"',
    ],
    ['forwards', { says: '{"decision":"forward","reason":"x"}' }, 'decision must be one of'],
    ['talks around its answer', { says: `Sure: ${draftJson}` }, 'it is not one JSON object'],
    ['answers twice', { says: `${draftJson}\n${draftJson}` }, 'it is not one JSON object'],
    ['says nothing', { says: '' }, 'there is no text in it'],
    ['gives no text', { says: null }, 'there is no text in it'],
    ['calls a tool alone', { says: null, stopped: 'tool' }, 'there is no text in it'],
    [
      'repeats the key',
      { says: JSON.stringify({ ...draft, reply: llmKey }) },
      'it repeats the key',
    ],
    ['refuses', { says: draftJson, stopped: 'refusal' }, 'the model refused'],
    ['is cut for its length', { says: draftJson, stopped: 'length' }, 'it was cut for its length'],
  ]
  it.each(unfit)('does not decide where it %s', async (_, told, misfit) => {
    const error = await failure(fake(), maker, told)
    expect(error).toMatchObject({ name: 'AgentMailError', code: 'bad_answer' })
    expect(error.message).toContain('the answer does not fit: ')
    expect(error.message).toContain(misfit)
    expect(error.text).not.toContain('evil')
  })

  it("may say the word that a server of one's own takes for a key", async () => {
    const model = new Model(
      maker,
      async () => JSON.stringify({ ...draft, reason: 'ollama asked' }),
      'ollama',
    )
    const mail = { from: '', to: '', subject: '', date: '', body: '' }
    expect(await model.decide(mail)).toMatchObject({ reason: 'ollama asked' })
  })

  it('has the beginning of what does not fit in the error, on one line', async () => {
    const says = `I  would\n\u202earchive ${llmKey}: ${'x '.repeat(1000)}`
    const { details } = await failure(fake(), maker, { says })
    expect(details.answer).toMatch(/^I would archive \*{8}: x x x .*…$/)
    expect(details.answer).toHaveLength(500)
  })

  const faults: [string, Told, RegExp, object][] = [
    ['401', { status: 401 }, /answered with HTTP 401: The service says no\.$/, { status: 401 }],
    [
      '429',
      { status: 429, headers: { 'retry-after': '7' } },
      /answered with HTTP 429/,
      { status: 429, retry_after_seconds: 7 },
    ],
    ['500', { status: 500 }, /answered with HTTP 500/, { status: 500 }],
    ['529', { status: 529 }, /answered with HTTP 529/, { status: 529 }],
    ['HTML', { raw: '<h1>Hello</h1>' }, /answered, but not as its API does$/, { status: 200 }],
    [
      'HTML with a status',
      { raw: '<h1>Bad gateway</h1>', status: 502 },
      /answered with HTTP 502$/,
      { status: 502 },
    ],
    ['nothing', { raw: '' }, /not as its API does$/, { status: 200 }],
    ['no content', { raw: '', status: 204 }, /HTTP 204$/, { status: 204 }],
    ['half a JSON', { raw: '{"id":', type: 'application/json' }, /not as its API does$/, {}],
    [
      'another JSON',
      { raw: '{"error":"no such model"}' },
      /not as its API does: no such model$/,
      {},
    ],
    ['a list', { raw: '[]', type: 'application/json' }, /not as its API does$/, {}],
    ['a reset', 'reset', /could not be reached, or hung up \(ECONNRESET\)$/, {}],
    ['half an answer', 'cut', /could not be reached, or hung up/, {}],
    ['an answer without end', 'flood', /answered with more than 1 MB$/, {}],
  ]
  it.each(faults)('is not available after %s', async (_, told, message, details) => {
    const error = await failure(fake(), maker, told)
    expect(error).toMatchObject({ name: 'AgentMailError', code: 'model_unavailable', details })
    expect(error.message).toMatch(message)
    expect(fake().requests).toHaveLength(1)
  })

  it.each(['hang', 'trickle'] as const)(
    'is given up after its time where it lets one %s',
    async (told) => {
      const error = await failure(fake(), maker, told, { AGENTMAIL_LLM_TIMEOUT_SECONDS: '0.3' })
      expect(error).toMatchObject({ code: 'model_unavailable' })
      expect(error.message).toMatch(/did not answer within 0\.3 seconds$/)
      await expect.poll(() => fake().connections, { timeout: 10_000 }).toBe(0)
    },
  )

  it('is not available where nobody listens', async () => {
    const url = { AGENTMAIL_LLM_BASE_URL: 'http://127.0.0.1:9' }
    const error = await failure(fake(), maker, 'hang', url)
    expect(error).toMatchObject({ code: 'model_unavailable' })
    expect(error.message).toContain('127.0.0.1:9')
  })

  it('is not followed elsewhere with the key', async () => {
    const location = `${fake().url}/v1/elsewhere`
    for (const status of [301, 302, 307, 308]) {
      const error = await failure(fake(), maker, { status, headers: { location } })
      expect(error).toMatchObject({ code: 'model_unavailable', details: { status } })
    }
    expect(fake().requests.map(({ path }) => path)).not.toContain('/v1/elsewhere')
  })

  it.each([
    ['as it is', llmKey],
    ['spaced', llmKey.split('').join(' ')],
    ['in base64', Buffer.from(llmKey).toString('base64')],
    ['cut', llmKey.slice(3, -3)],
  ])('has its key in no error where the service repeats it %s', async (_, spelled) => {
    const headers = { 'x-key': spelled, 'retry-after': spelled }
    for (const told of [
      { status: 401, words: `Incorrect API key provided: ${spelled}`, headers },
      { status: 500, words: spelled },
      { raw: JSON.stringify({ error: spelled }) },
      { raw: `<p>${spelled}</p>`, status: 503 },
      { says: spelled },
      { says: JSON.stringify({ ...draft, [spelled]: 1 }) },
    ]) {
      const { text, details, cause, stack } = await failure(fake(), maker, told)
      const shown = JSON.stringify([text, details, cause, stack])
      expect(shown).not.toContain(spelled)
      expect(shown).not.toContain('0123456789')
    }
  })

  it('takes nothing from the environment but our own settings', async () => {
    const foreign = {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'foreign',
      ANTHROPIC_AUTH_TOKEN: 'foreign',
      ANTHROPIC_CUSTOM_HEADERS: 'x-foreign: foreign\nauthorization: foreign',
      ANTHROPIC_LOG: 'debug',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
      OPENAI_API_KEY: 'foreign',
      OPENAI_ADMIN_KEY: 'foreign',
      OPENAI_ORG_ID: 'foreign',
      OPENAI_PROJECT_ID: 'foreign',
      OPENAI_CUSTOM_HEADERS: 'x-foreign: foreign\nauthorization: foreign',
      OPENAI_LOG: 'debug',
    }
    Object.assign(process.env, foreign)
    try {
      expect(await decide(fake(), maker, { says: draftJson })).toMatchObject({
        decision: 'draft_reply',
      })
    } finally {
      for (const name of Object.keys(foreign)) delete process.env[name]
    }
    expect(JSON.stringify(fake().lastRequest.headers)).not.toContain('foreign')
  })
})
