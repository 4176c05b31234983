/** The shape of a tool: its name, schemas, annotations and handler in one place, and how a call is answered. */
import * as z from 'zod'
import { AgentMailError } from '../errors.ts'
import { log } from '../system/log.ts'

interface ToolAnnotations {
  title?: string
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

interface ToolSpec<Context, Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  description: string
  annotations: ToolAnnotations
  /** An agent needs it before all others: clients that show a tool only to whoever searches for it show this one at once. */
  isFirst?: true
  input: Input
  output: Output
  /** The arguments that are paths: what a path may hold is for the door to the files to say. */
  paths?: (keyof z.infer<Input>)[]
  /** What the answer says as text, where that is not its JSON. */
  told?(answer: z.infer<Output>): string
  run(context: Context, input: z.infer<Input>): Promise<z.infer<Output>>
}

type JsonSchema = { type: 'object'; [key: string]: unknown }

/** What `tools/list` says of a tool. */
interface ToolListing {
  name: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: ToolAnnotations
  _meta?: Record<string, unknown>
}

const shownAtOnce = { _meta: { 'anthropic/alwaysLoad': true } }

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

/** How a toolset tells an error: in words, unless it has a form of its own. Nothing is told of what nobody expected. */
type Wording = (error: AgentMailError | undefined) => string

const inWords: Wording = (error) =>
  error?.text ?? 'internal error\nThe server has logged the details. Try again.'

/** For toolsets whose callers are programs. */
export const inJson: Wording = (error) =>
  JSON.stringify(
    error?.json ?? {
      error: 'internal_error',
      message: 'internal error: the server has logged the details. Try again.',
      details: null,
    },
  )

/** A tool, whatever its schemas: what a server needs to list and to call it. */
export interface Tool<Context> {
  name: string
  listing: ToolListing
  /** Parses, then opens what the tool works with. Throws only `tmux_lost`, which ends a server; every other error is an answer. */
  call(open: () => Promise<Context>, args: object | undefined): Promise<ToolResult>
}

/**
 * Makes a tool of its parts.
 *
 * @example
 * export default defineTool({
 *   name: 'status',
 *   description: 'Say whether you may be disturbed.',
 *   annotations: { readOnlyHint: false, idempotentHint: true },
 *   input: z.object({ status: z.enum(['ready', 'work', 'offline']) }),
 *   output: z.object({ status: z.string() }),
 *   run: ({ member }: MailboxContext, { status }) => setStatus(member, status),
 * })
 */
export function defineTool<Context, Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Context, Input, Output>,
  wording: Wording = inWords,
): Tool<Context> {
  return {
    name: spec.name,
    listing: {
      name: spec.name,
      description: spec.description,
      inputSchema: jsonSchema(spec.input.strict(), 'input'),
      outputSchema: jsonSchema(spec.output, 'output'),
      annotations: spec.annotations,
      ...(spec.isFirst && shownAtOnce),
    },
    async call(open, args) {
      try {
        const input = parse(spec, args ?? {})
        const answer = await spec.run(await open(), input)
        const text = spec.told?.(answer) ?? JSON.stringify(answer)
        return { content: [{ type: 'text', text }], structuredContent: { ...answer } }
      } catch (error) {
        if (AgentMailError.is(error, 'tmux_lost')) throw error
        return failure(spec.name, error, wording)
      }
    },
  }
}

/** The errors of a tool are told in the words of the contract; anything else is told to the log alone. */
export function failure(name: string, error: unknown, wording: Wording = inWords): ToolResult {
  const isExpected = AgentMailError.is(error)
  if (!isExpected) log(`${name} failed: ${error instanceof Error ? error.stack : error}`)
  const text = wording(isExpected ? error : undefined)
  return { content: [{ type: 'text', text }], isError: true }
}

/** Parses with the words that the schema gives for each fault; an unknown argument and a NUL are refused by name. */
function parse<Input extends z.ZodObject>(
  { input, paths = [] }: { input: Input; paths?: PropertyKey[] },
  args: object,
): z.infer<Input> {
  const known = Object.keys(input.shape)
  const unknown = Object.keys(args).filter((key) => !known.includes(key))
  if (unknown.length > 0) {
    const next = known.length > 0 ? `Known: ${known.join(', ')}.` : 'This tool takes no arguments.'
    throw refusal(`unknown argument: ${unknown.join(', ')}`, next)
  }
  const others = Object.fromEntries(Object.entries(args).filter(([key]) => !paths.includes(key)))
  const withNul = findText(others, (text) => text.includes('\0'))
  if (withNul) throw refusal(`${withNul} must not contain NUL characters`)
  const broken = findText(args, (text) => /\p{Surrogate}/u.test(text))
  if (broken) throw refusal(`${broken} must not contain half a surrogate pair`)
  const result = input.safeParse(withoutEmpty(input, args))
  if (result.success) return result.data
  const [words = '', next] = (result.error.issues[0]?.message ?? 'invalid arguments').split('\n')
  throw refusal(words, next)
}

/** An empty optional argument counts as absent: models fill in what they do not mean. */
function withoutEmpty(input: z.ZodObject, args: object): object {
  const isEmpty = (value: unknown) =>
    value === '' || value === null || (Array.isArray(value) && value.length === 0)
  const isOptional = (key: string) => input.shape[key]?.safeParse(undefined).success
  return Object.fromEntries(
    Object.entries(args).filter(([key, value]) => !isEmpty(value) || !isOptional(key)),
  )
}

const refusal = (message: string, next?: string) =>
  new AgentMailError('invalid_request', message, next)

/** The name of the argument that holds such text: databases cut at a NUL, and store half a pair as something else. */
function findText(
  value: unknown,
  isSuch: (text: string) => boolean,
  name = 'arguments',
): string | undefined {
  if (typeof value === 'string') return isSuch(value) ? name : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (isSuch(key)) return name
    const found = findText(inner, isSuch, Array.isArray(value) ? name : key)
    if (found) return found
  }
  return undefined
}

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: withoutNoise(io) })
  return { ...rest, type: 'object' }
}

/** Every client pays for what `tools/list` says: not for bounds that any number has, nor to hear of a reply that it is complete. */
const withoutNoise =
  (io: 'input' | 'output') =>
  ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    // A tool without arguments says that it takes none; the others tell it to whoever gives one more.
    const isFilled = Object.keys(jsonSchema.properties ?? {}).length > 0
    if (io === 'output' || isFilled) delete jsonSchema.additionalProperties
    if (io === 'output') delete jsonSchema.required
  }
