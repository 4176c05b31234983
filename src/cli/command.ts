/** The shape of a command, and how its arguments are read. */
import { parseArgs } from 'node:util'
import type { Flags } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'

interface OptionShape {
  type: 'string' | 'boolean'
  short?: string
  /** May be given several times: the values are one list, with commas between. */
  isList?: true
  /** How its value is called in the help. */
  value?: string
  about: string
}

/** What each exit code means. */
export type ExitCodes = Readonly<Record<number, string>>

export interface Command {
  /** As in `agentmail <name> <usage>`. */
  usage: string
  summary: string
  /** What the help says beyond the summary. */
  details?: string
  options?: Record<string, OptionShape>
  /** What an exit code means here, where that is more than what it means everywhere. */
  exitCodes?: ExitCodes
  /** How many words may stand beside the options; the rest is refused. */
  maxPositionals?: number
  /** Whether these arguments ask for silence and exit code 0 whatever goes wrong. */
  isSilentOnError?(args: string[]): boolean
  /** Answers in place of an error, for a caller that must never see one; gives the exit code. */
  answerError?(error: unknown): number
  /** Whether it runs even where the user's own file of settings is broken, with what can be used of it. */
  toleratesBadSettings?: true
  /** Does the work, prints the answer, and gives the exit code (0 if nothing is said). */
  run(call: Call): Promise<number | undefined>
}

export interface Call {
  flags: Flags
  positionals: string[]
  json: boolean
}

/** What an exit code means wherever a command does not say it otherwise. */
export const commonExitCodes: ExitCodes = {
  0: 'done',
  1: 'refused, or failed; stderr says why',
  2: 'missing or wrong: your name (or tmux), the vault, the mail service, a setting or its file',
  3: 'the port is in use',
  4: 'the database is locked',
  5: 'the database cannot be opened, or is gone',
}

/** What a flag says; an empty one says nothing. */
export const flagText = (flag: string | boolean | undefined): string | undefined =>
  typeof flag === 'string' && flag !== '' ? flag : undefined

/** Options of every command. */
export const commonOptions = {
  json: { type: 'boolean', about: 'print the answer as JSON' },
  help: { type: 'boolean', short: 'h', about: 'print this help' },
} as const satisfies Record<string, OptionShape>

/** Reads the arguments of a command. A value may begin with a dash, since names and messages may. */
export function readArguments(
  name: string,
  command: Command,
  args: string[],
): Call & { help: boolean } {
  const options: Record<string, OptionShape> = { ...command.options, ...commonOptions }
  const flags: Record<string, string | boolean> = {}
  // Where all are plain words there is nothing to read, which spares a millisecond.
  const isPlain = args.every((word) => !word.startsWith('-'))
  const positionals = isPlain ? args : []
  const { tokens } = isPlain
    ? { tokens: [] }
    : parseArgs({ args, options, strict: false, tokens: true })
  const misuse = (message: string, next: string[] = []) => {
    const [named] = args.filter((word) => !word.startsWith('-'))
    const usage = usageLines(name, command, named)
    const lines = [...next, ...usage, `agentmail ${name} --help tells more.`]
    return new AgentMailError('invalid_request', message, lines.join('\n'))
  }
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const shape = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (!shape) {
      const known = Object.keys(options).map((option) => `--${option}`)
      const hint = token.rawName.startsWith('--') ? didYouMean(token.rawName, known) : ''
      throw misuse(`unknown option ${token.rawName}${hint}`, [dashAdvice])
    }
    if (shape.type === 'string' && token.value === undefined) {
      throw misuse(`option ${token.rawName} needs a value`)
    }
    if (shape.type === 'boolean' && token.value !== undefined) {
      throw misuse(`option ${token.rawName} takes no value`)
    }
    const before = flags[token.name]
    const isMore = shape.isList && typeof before === 'string'
    flags[token.name] = isMore ? `${before}, ${token.value}` : (token.value ?? true)
  }
  const help = flags.help === true
  if (!help && positionals.length > (command.maxPositionals ?? 0)) {
    throw misuse(
      `too many arguments: ${positionals.slice(command.maxPositionals ?? 0).join(' ')}`,
      ['Put quotes around a text of several words.'],
    )
  }
  return { flags, positionals, json: flags.json === true, help }
}

const dashAdvice = 'Put -- before text that begins with a dash.'

/** A line for each form that it has, or for those of the subcommand that is named. */
function usageLines(name: string, { usage }: Command, named?: string): string[] {
  const forms = usage.split(' | ')
  const meant = forms.filter((form) => /^\[?([\w-]+)/.exec(form)?.[1] === named)
  return (meant.length > 0 ? meant : forms).map((form, index) =>
    `${index === 0 ? 'Usage:' : '      '} agentmail ${name} ${form}`.trimEnd(),
  )
}

/** The help of one command. */
export function helpOf(name: string, command: Command): string {
  const options = Object.entries<OptionShape>({ ...command.options, ...commonOptions })
  const left = options.map(([option, shape]) => {
    const value = shape.type === 'string' ? ` <${shape.value ?? option}>` : ''
    return `${shape.short ? `-${shape.short}, ` : '    '}--${option}${value}`
  })
  const width = Math.max(...left.map((text) => text.length)) + 2
  return [
    ...usageLines(name, command),
    '',
    command.summary,
    ...(command.details ? ['', command.details] : []),
    '',
    'Options:',
    ...options.map(([, shape], index) => `  ${left[index]?.padEnd(width)}${shape.about}`),
    '',
    ...(command.exitCodes ? [...exitCodeLines(command.exitCodes), ''] : []),
  ].join('\n')
}

export const exitCodeLines = (exitCodes: ExitCodes): string[] => [
  'Exit codes:',
  ...Object.entries(exitCodes).map(([code, about]) => `  ${code.padEnd(5)}${about}`),
]
