/** Calls the tools of an MCP server; where it is out of reach, does the same in another way, or says that it waits. */
import * as z from 'zod'
import { AgentMailError, type ErrorCode, isErrorCode } from '../../errors.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import type { Trouble, TroubleEvent } from './fallback-log.ts'
import { type Failure, KeptServer, type KeptServerOptions, type Reply } from './kept-server.ts'
import type { ToolAnswer, Tools } from './mcp-connection.ts'

export interface McpClientOptions extends KeptServerOptions {
  name: 'gmail' | 'obsidian'
  onTrouble: (event: TroubleEvent, trouble: Trouble) => void
}

export interface CallOptions<T> {
  schema: z.ZodType<T>
  /** It changes nothing, so it may be asked twice. */
  isSafe: boolean
  /** It should not be cut off in its midst: a server that takes too long is given a moment to finish. */
  isGentle?: boolean
  /** Does the same without the server. */
  fallback?: () => Promise<T>
}

/** What a fallback says about a note itself; anything else is a failure of the fallback. */
const answersOfNotes: ErrorCode[] = [
  'conflict',
  'invalid_request',
  'not_found',
  'parse_error',
  'permission_denied',
]

export class McpClient {
  readonly #options: McpClientOptions
  readonly #server: KeptServer
  #tools: Tools | undefined

  constructor(options: McpClientOptions) {
    this.#options = options
    this.#server = new KeptServer(options)
  }

  /**
   * Throws what the tool itself says as it is (`details.tool_error` has its code), and
   * `mcp_unavailable` with `details.may_have_run` where neither the server nor a fallback did it.
   */
  async call<T>(tool: string, args: Record<string, unknown>, how: CallOptions<T>): Promise<T> {
    const ask = this.#asking(tool, args, how)
    const first = await ask()
    const isAgain = how.isSafe && first.failure?.hasDied
    const outcome = isAgain ? await ask() : first
    if (!outcome.failure) return outcome.value
    const mayHaveRun = isAgain || outcome.failure.mayHaveRun
    return this.#without(tool, { ...outcome.failure, mayHaveRun }, how.fallback)
  }

  /**
   * Whether the tool has an argument of this name, as the server says or last said.
   * Throws `mcp_unavailable` where it never did.
   *
   * @param isVital the tool cannot be called without knowing it, and nothing can stand in for it
   */
  async takes(tool: string, argument: string, isVital = false): Promise<boolean> {
    const deadline = performance.now() + this.#options.timeoutMs
    const outcome = await this.#server.ask(deadline, false, (server) => server.tools())
    if (!outcome.failure) this.#tools = outcome.value
    else if (!this.#tools) {
      if (isVital && !this.#server.isClosed) this.#tell('mcp_escalation', tool, outcome.failure)
      throw this.#unavailable(tool, { ...outcome.failure, mayHaveRun: false })
    }
    return this.#tools?.get(tool)?.includes(argument) ?? false
  }

  /** Ends the server within 5 s. Calls that are under way, and later ones, fail. */
  close(): Promise<void> {
    return this.#server.close()
  }

  #asking<T>(
    tool: string,
    args: Record<string, unknown>,
    how: CallOptions<T>,
  ): () => Promise<Reply<T>> {
    const { timeoutMs, secrets } = this.#options
    const deadline = performance.now() + timeoutMs
    return async () => {
      const isGentle = how.isGentle ?? false
      const outcome = await this.#server.ask(deadline, isGentle, (server) =>
        server.call(tool, args),
      )
      if (outcome.failure) return outcome
      if (outcome.value.isError) throw toolError(outcome.value, tool, secrets)
      const parsed = parseToolAnswer(outcome.value, how.schema)
      if (parsed.success) return { value: parsed.data }
      // Where it does not fit, but not what stands there: that may be somebody's mail.
      const places = parsed.error.issues.map(
        ({ path, code }) => `${path.join('.') || 'it'}: ${code}`,
      )
      const message = redacted(`its answer does not fit (${places.join(', ')})`, secrets)
      return { failure: { message, hasDied: false, mayHaveRun: true } }
    }
  }

  async #without<T>(tool: string, failure: Failure, fallback?: () => Promise<T>): Promise<T> {
    if (this.#server.isClosed) throw this.#unavailable(tool, failure)
    if (!fallback) {
      this.#tell('mcp_escalation', tool, failure)
      throw this.#unavailable(tool, failure)
    }
    this.#tell('mcp_fallback', tool, failure)
    try {
      return await fallback()
    } catch (error) {
      if (AgentMailError.is(error) && answersOfNotes.includes(error.code)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const message = `${failure.message}; what stands in for it failed too: ${reason}`
      const both = { ...failure, message: redacted(message, this.#options.secrets) }
      this.#tell('mcp_escalation', tool, both)
      throw this.#unavailable(tool, both, error)
    }
  }

  /** During a cool-down, each kind of trouble once. */
  #tell(event: TroubleEvent, tool: string, { message }: Failure): void {
    if (!this.#server.coolDown.isNews(`${event} ${tool}`)) return
    this.#options.onTrouble(event, { server: this.#options.name, tool, message })
  }

  #unavailable(tool: string, failure: Failure, cause?: unknown): AgentMailError {
    const { name } = this.#options
    return new AgentMailError(
      'mcp_unavailable',
      `the ${name} server did not do ${tool}: ${failure.message}`,
      `Look at the command in ${name.toUpperCase()}_MCP_SERVER, if you have set it; it is tried again.`,
      { cause, details: { server: name, tool, may_have_run: failure.mayHaveRun } },
    )
  }
}

const errorSchema = z.looseObject({
  error: z.string(),
  message: z.string().default(''),
  details: z.unknown().optional(),
})

const textOf = (answer: ToolAnswer): string =>
  answer.content.find((item) => item.type === 'text')?.text ?? ''

function parseToolAnswer<T>(answer: ToolAnswer, schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
  return schema.safeParse(answer.structuredContent ?? jsonOf(textOf(answer)))
}

/** The error that a tool told, under our own code where there is one for it. */
function toolError(answer: ToolAnswer, tool: string, secrets: string[]): AgentMailError {
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
