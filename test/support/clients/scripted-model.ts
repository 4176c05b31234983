/** A model that answers coding agents as a test tells it to, in the three protocols that they speak. */
import { createServer, type ServerResponse } from 'node:http'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'

export type Answer =
  | { text: string; after?: Promise<void> }
  | {
      call: string
      /** `$agent_id` in it is the one that the client was given. */
      input: object
      /** Codex tells tools of servers, those that take a text, and its own search from the rest. */
      as?: { namespace: string } | 'text' | 'search'
      /** The answer is held until then. */
      after?: Promise<void>
    }

export interface ScriptedModel {
  url: string
  /** The answer to the next request; without one it is a word. */
  next(answer: Answer): void
  /** The answers, one a request, once something of this kind is new in a conversation; used up by that. */
  when(news: RegExp, ...answers: Answer[]): void
  /** How many requests of conversations were made, as opposed to titles and the like. */
  requests(): number
  /** Whether this was ever in anything that a client sent. */
  has(text: string): boolean
  /** How often this was said, as a whole message, in the longest conversation. */
  timesSaid(text: string): number
  /** How often this stands in any message of the conversation in which it stands most. */
  timesHeard(text: string): number
  /** What came with each request of a conversation that was not in the one before it, as JSON. */
  news(): string[]
}

/** What all three have in common: a list of tools, and the conversation. */
interface Asked {
  model?: string
  stream?: boolean
  tools?: unknown[]
  messages?: unknown[]
  input?: unknown[]
  contents?: unknown[]
}

export async function startScriptedModel(atEnd: AtEnd): Promise<ScriptedModel> {
  const answers: Answer[] = []
  const rules: { pattern: RegExp; answers: Answer[] }[] = []
  const conversations: string[] = []
  const news: string[] = []
  let all = ''

  const take = (asked: Asked): Answer => {
    const said = asked.messages ?? asked.input ?? asked.contents ?? []
    const talk = JSON.stringify(said)
    all += talk
    const isConversation = JSON.stringify(asked.tools ?? []).length > 5000
    const newest = JSON.stringify(said.slice(said.findLastIndex(isOwn) + 1))
    if (!isConversation || isForTitle.test(newest)) return { text: '{"title": "A talk"}' }
    conversations.push(talk)
    news.push(newest)
    const rule =
      answers.length === 0 ? rules.find(({ pattern }) => pattern.test(newest)) : undefined
    if (rule) answers.push(...(rules.splice(rules.indexOf(rule), 1)[0]?.answers ?? []))
    const answer = answers.shift() ?? { text: 'Done.' }
    return 'call' in answer ? { ...answer, input: filled(answer.input, talk) } : answer
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = (request.url ?? '').split('?')[0] ?? ''
    const protocol = protocols.find(({ pattern }) => pattern.test(path))
    if (!protocol) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": {}}')
      return
    }
    const asked: Asked = JSON.parse(body || '{}')
    const answer = take(asked)
    await answer.after
    protocol.answer(response, answer, asked)
  })
  return {
    url: `http://${await listening(server, atEnd)}`,
    next: (answer) => void answers.push(answer),
    when: (pattern, ...given) => void rules.push({ pattern, answers: given }),
    requests: () => conversations.length,
    has: (text) => all.includes(text),
    timesSaid: (text) =>
      Math.max(0, ...conversations.map((talk) => talk.split(JSON.stringify(text)).length - 1)),
    timesHeard: (text) => {
      const escaped = JSON.stringify(text).slice(1, -1)
      return Math.max(0, ...conversations.map((talk) => talk.split(escaped).length - 1))
    },
    news: () => news,
  }
}

/** Codex asks for one with all its tools at hand. */
const isForTitle = /task title of at most/

/** What the model itself has said or called, as opposed to what it hears. */
function isOwn(said: unknown): boolean {
  if (typeof said !== 'object' || said === null) return false
  const { role, type } = said as { role?: unknown; type?: unknown }
  return role === 'assistant' || role === 'model' || /(_call|^reasoning)$/.test(`${type}`)
}

function filled(input: object, talk: string): object {
  const [, id = '$agent_id'] = /agent_id\W+([\da-f-]{36})/.exec(talk) ?? []
  return JSON.parse(JSON.stringify(input).replaceAll('$agent_id', id))
}

let serial = 0

interface Protocol {
  pattern: RegExp
  answer(response: ServerResponse, answer: Answer, asked: Asked): void
}

const protocols: Protocol[] = [
  { pattern: /\/v1\/messages$/, answer: asAnthropic },
  { pattern: /\/responses$/, answer: asOpenAi },
  { pattern: /:streamGenerateContent$/, answer: asGemini },
  { pattern: /:generateContent$/, answer: asGemini },
]

/** The events one by one, as all three want them. */
function stream(
  response: ServerResponse,
  events: { type?: string; [field: string]: unknown }[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    if (event.type) response.write(`event: ${event.type}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function asAnthropic(response: ServerResponse, answer: Answer, { model, stream: isStream }: Asked) {
  const isCall = 'call' in answer
  const block = isCall
    ? { type: 'tool_use', id: `toolu_${++serial}`, name: answer.call, input: answer.input }
    : { type: 'text', text: answer.text }
  const message = {
    id: `msg_${++serial}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [block],
    stop_reason: isCall ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  if (!isStream) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
    return
  }
  stream(response, [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isCall ? { ...block, input: {} } : { type: 'text', text: '' },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isCall
        ? { type: 'input_json_delta', partial_json: JSON.stringify(answer.input) }
        : { type: 'text_delta', text: answer.text },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: message.usage,
    },
    { type: 'message_stop' },
  ])
}

function asOpenAi(response: ServerResponse, answer: Answer, { model }: Asked) {
  const item =
    'call' in answer
      ? openAiCall(answer)
      : {
          type: 'message',
          id: `msg_${++serial}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: answer.text, annotations: [] }],
        }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const whole = { id: `resp_${++serial}`, object: 'response', created_at: 1, model }
  stream(response, [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { ...whole, status: 'completed', output: [item], usage },
    },
  ])
}

function openAiCall({ call: name, input, as }: Extract<Answer, { call: string }>): object {
  const made = { id: `item_${++serial}`, call_id: `call_${serial}`, status: 'completed' }
  if (as === 'search') {
    return { type: 'tool_search_call', ...made, execution: 'client', arguments: input }
  }
  if (as === 'text') {
    return { type: 'custom_tool_call', ...made, name, input: Object.values(input).join('') }
  }
  const called = { type: 'function_call', ...made, name, arguments: JSON.stringify(input) }
  return { ...called, ...as }
}

function asGemini(response: ServerResponse, answer: Answer) {
  const part =
    'call' in answer
      ? { functionCall: { id: `call_${++serial}`, name: answer.call, args: answer.input } }
      : { text: answer.text }
  const content = { role: 'model', parts: [part] }
  stream(response, [
    {
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ])
}
