/** A command with subcommands: finds the one that is meant, and refuses options of another. */
import { AgentMailError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import type { Call } from './command.ts'

export interface Subcommand {
  run(call: Call): Promise<number>
  /** Those that it takes beside the ones that all of them take. */
  options?: string[]
}

/** @param next how they are written, for whoever names none or another. */
export function runSubcommand(
  command: string,
  subcommands: Record<string, Subcommand>,
  call: Call,
  next: string,
): Promise<number> {
  const [name, ...positionals] = call.positionals
  const known = name !== undefined && Object.hasOwn(subcommands, name) && subcommands[name]
  if (!known) {
    throw new AgentMailError(
      name === undefined ? 'missing_arguments' : 'invalid_request',
      name === undefined
        ? `what is to be done with agentmail ${command}?`
        : `unknown subcommand: ${name}${didYouMean(name, Object.keys(subcommands))}`,
      next,
    )
  }
  const own = new Set(Object.values(subcommands).flatMap(({ options = [] }) => options))
  const foreign = [...own].find(
    (option) => call.flags[option] !== undefined && !known.options?.includes(option),
  )
  if (foreign === undefined) return known.run({ ...call, positionals })
  throw new AgentMailError(
    'invalid_request',
    `${command} ${name} takes no --${foreign}`,
    `agentmail ${command} --help tells which take it.`,
  )
}

/** Refuses what stands beyond so many words. */
export function atMost(count: number, positionals: string[]): string[] {
  if (positionals.length <= count) return positionals
  throw new AgentMailError(
    'invalid_request',
    `too many arguments: ${positionals.slice(count).join(' ')}`,
    'See --help, and put quotes around a path with blanks.',
  )
}

/** A flag that is a whole number above zero. */
export function countOf(name: string, flag: string | boolean | undefined): number | undefined {
  if (flag === undefined) return undefined
  const count = Number(flag)
  if (Number.isInteger(count) && count > 0) return count
  throw new AgentMailError('invalid_request', `--${name} must be a whole number above 0`)
}
