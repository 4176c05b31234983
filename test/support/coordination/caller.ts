/** Calls tools over bare HTTP: cheap enough to time a server with, and plain about a connection that was lost. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { requestLine, revisions } from '../mcp/protocol.ts'

/** Nobody knows what became of a call whose connection ended before its answer. */
export class ConnectionLost extends Error {}

const answerSchema = z.object({
  result: z.object({
    content: z.array(z.object({ text: z.string() })),
    structuredContent: z.record(z.string(), z.unknown()).optional(),
    isError: z.boolean().optional(),
  }),
})

/** A tool that answered with an error; its message is the text of that answer. */
export class ToolFailed extends Error {}

export type Structured = Record<string, unknown>

export class Caller {
  readonly #reuse: boolean
  readonly #agent: Agent
  #lastId = 0
  #heard = 0

  /** With `reuse`, a connection serves one call after the other; else each call has its own, and is counted in `heard`. */
  constructor({ reuse = true } = {}) {
    this.#reuse = reuse
    this.#agent = new Agent({ keepAlive: reuse })
    onTestFinished(() => this.#agent.destroy())
  }

  /** How many calls the server has begun to read, answered or not; what has only left may wait long for a crowd. */
  get heard(): number {
    return this.#heard
  }

  /** Gives the structured answer; throws `ToolFailed` or `ConnectionLost`. */
  async call(url: string, tool: string, args: object, signal?: AbortSignal): Promise<Structured> {
    const body = requestLine(
      ++this.#lastId,
      'tools/call',
      { name: tool, arguments: args },
      'modern',
    )
    const { status, text } = await this.#exchange(`${url}/mcp`, tool, body, signal)
    if (status !== 200) throw new Error(`${tool} got HTTP ${status}: ${text}`)
    const { result } = answerSchema.parse(JSON.parse(text))
    if (result.isError) throw new ToolFailed(result.content[0]?.text)
    return result.structuredContent ?? {}
  }

  #exchange(url: string, tool: string, body: string, signal: AbortSignal | undefined) {
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const lost = (error: Error) => reject(new ConnectionLost(error.message, { cause: error }))
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revisions.modern,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
        ...(this.#reuse ? {} : { expect: '100-continue' }),
      }
      const options = { method: 'POST', agent: this.#agent, headers, ...(signal ? { signal } : {}) }
      const sent = request(url, options, (response: IncomingMessage) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('error', lost)
        response.on('end', () => resolve({ status: response.statusCode, text }))
      })
      sent.on('error', lost)
      if (this.#reuse) {
        sent.end(body)
        return
      }
      sent.on('continue', () => {
        this.#heard++
        sent.end(body)
      })
    })
  }
}

export const agentIdOf = (answer: Structured) => z.string().parse(answer.agent_id)
export const messageIdOf = (answer: Structured) => z.int().parse(answer.message_id)

const messageSchema = z.object({ id: z.int(), sender_id: z.string(), body: z.string() })
export type Message = z.infer<typeof messageSchema>
export const messagesOf = (answer: Structured): Message[] =>
  z.array(messageSchema).parse(answer.messages)

const changeSchema = z.object({ id: z.int(), summary: z.string() })
export const changesOf = (answer: Structured) => z.array(changeSchema).parse(answer.changes)
