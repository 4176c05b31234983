/** The official client on the tools of a server whose errors are JSON. */
import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import * as z from 'zod'

const answerSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
})
export const errorSchema = z.strictObject({
  error: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).nullable(),
})
export type ToolError = z.infer<typeof errorSchema>

/** Calls tools, and holds every answer against the form that all answers have. */
export class ToolClient {
  readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  async call(name: string, args: object): Promise<Record<string, unknown>> {
    const answer = await this.#ask(name, args)
    expect(answer.isError, answer.content[0].text).toBeFalsy()
    expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent)
    return answer.structuredContent ?? {}
  }

  /** The text of the answer, as it came. */
  async textOf(name: string, args: object): Promise<string> {
    return (await this.#ask(name, args)).content[0].text
  }

  async error(name: string, args: object): Promise<ToolError> {
    const answer = await this.#ask(name, args)
    expect(answer.isError, answer.content[0].text).toBe(true)
    return errorSchema.parse(JSON.parse(answer.content[0].text))
  }

  /** The code of the error. */
  async code(name: string, args: object): Promise<string> {
    return (await this.error(name, args)).error
  }

  async #ask(name: string, args: object) {
    return answerSchema.parse(
      await this.client.callTool({ name, arguments: Object.fromEntries(Object.entries(args)) }),
    )
  }
}
