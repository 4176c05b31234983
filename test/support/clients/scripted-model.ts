/** A model that answers coding agents as a test tells it to, in the three protocols that they speak. */
import { createServer, type ServerResponse } from 'node:http'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'

export type Answer =
  | { text: string /** The answer is held until then. */; after?: Promise<void> }
  | { call: string; input: object }

export interface ScriptedModel {
  url: string
  /** The answer to the next request; without one it is a word. */
  next(answer: Answer): void
  /** How many requests of conversations were made, as opposed to titles and the like. */
  requests(): number
  /** Whether this was ever in anything that a client sent. */
  has(text: string): boolean
  /** How often this was said, as a whole message, in the longest conversation. */
  timesSaid(text: string): number
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
  const conversations: string[] = []
  let all = ''

  const take = (asked: Asked): Answer => {
    const talk = JSON.stringify(asked.messages ?? asked.input ?? asked.contents ?? [])
    all += talk
    const isConversation = JSON.stringify(asked.tools ?? []).length > 5000
    if (!isConversation) return { text: '{"title": "A talk"}' }
    conversations.push(talk)
    return answers.shift() ?? { text: 'Done.' }
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
    if ('after' in answer) await answer.after
    protocol.answer(response, answer, asked)
  })
  return {
    url: `http://${await listening(server, atEnd)}`,
    next: (answer) => void answers.push(answer),
    requests: () => conversations.length,
    has: (text) => all.includes(text),
    timesSaid: (text) =>
      Math.max(0, ...conversations.map((talk) => talk.split(JSON.stringify(text)).length - 1)),
  }
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
      ? {
          type: 'function_call',
          id: `fc_${++serial}`,
          call_id: `call_${serial}`,
          name: answer.call,
          arguments: JSON.stringify(answer.input),
          status: 'completed',
        }
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
