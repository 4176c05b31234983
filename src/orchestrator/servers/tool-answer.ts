/** What a tool of an MCP server answered: a value that fits, or an error of its own. */
import * as z from 'zod'
import { AgentMailError, isErrorCode } from '../../errors.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import type { ToolAnswer } from './mcp-connection.ts'

const errorSchema = z.looseObject({
  error: z.string(),
  message: z.string().default(''),
  details: z.unknown().optional(),
})

const textOf = (answer: ToolAnswer): string =>
  answer.content.find((item) => item.type === 'text')?.text ?? ''

export function parseToolAnswer<T>(
  answer: ToolAnswer,
  schema: z.ZodType<T>,
): z.ZodSafeParseResult<T> {
  return schema.safeParse(answer.structuredContent ?? jsonOf(textOf(answer)))
}

/** The error that a tool told, under our own code where there is one for it. */
export function toolError(answer: ToolAnswer, tool: string, secrets: string[]): AgentMailError {
  const clean = (text: string) => redacted(text, secrets)
  const text = textOf(answer)
  const told = errorSchema.safeParse(jsonOf(text))
  if (!told.success) {
    return new AgentMailError('internal', clean(text) || `${tool} failed and did not say why`)
  }
  const { error, message, details } = told.data
  return new AgentMailError(
    isErrorCode(error) ? error : 'internal',
    clean(message) || `${tool} failed with ${clean(error)}`,
    undefined,
    {
      details: { ...(isRecord(details) ? cleaned(details, clean) : {}), tool_error: clean(error) },
    },
  )
}

function cleaned(
  details: Record<string, unknown>,
  clean: (text: string) => string,
): Record<string, unknown> {
  return JSON.parse(JSON.stringify(details), (_, value) =>
    typeof value === 'string' ? clean(value) : value,
  )
}
