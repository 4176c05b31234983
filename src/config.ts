/** What is in force of the settings: a flag wins over the environment, that over the default. */
import { AgentMailError } from './errors.ts'
import { type SettingShape, settings } from './settings.ts'

/** The options of a command that takes these settings as flags. */
export const optionsOf = (...names: SettingName[]) =>
  Object.fromEntries(
    names.map((name): [string, { type: 'string'; value: string; about: string }] => {
      const { flag = name, value = 'n', about }: SettingShape = settings[name]
      return [flag, { type: 'string', value, about }]
    }),
  )

export type SettingName = keyof typeof settings
const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name)
export const settingNames = Object.keys(settings).filter(isSetting)

export type Flags = Readonly<Record<string, string | boolean | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

export interface SettingInForce {
  name: SettingName
  env: string
  value: string | number | null
  source: 'flag' | 'environment' | 'default'
  /** Present on a value that the commands which use it will refuse. */
  invalid?: true
  about: string
}

/**
 * What is in force for this process. An empty value counts as absent.
 *
 * @example new Config({ 'stale-hours': '1' }).number('staleHours') // 1
 */
export class Config {
  readonly #flags: Flags
  readonly #env: Environment

  constructor(flags: Flags = {}, env: Environment = process.env) {
    this.#flags = flags
    this.#env = env
  }

  /** The same, but for these. */
  with(changes: Environment): Config {
    return new Config(this.#flags, { ...this.#env, ...changes })
  }

  /** What a process is started with that is to see the same settings: flags become variables. */
  environment(): Record<string, string> {
    const variables: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#env)) {
      if (value !== undefined) variables[name] = value
    }
    for (const shape of Object.values<SettingShape>(settings)) {
      const flag = shape.flag === undefined ? undefined : this.#flags[shape.flag]
      if (typeof flag === 'string') variables[shape.env] = flag
    }
    return variables
  }

  /** What must be in no text that leaves this process. */
  secrets(): string[] {
    return settingNames.flatMap((name) => {
      const { secret }: SettingShape = settings[name]
      const value = this.text(name)
      if (value === undefined) return []
      return secret ? [value, ...passwordsIn(value)] : passwordsIn(value)
    })
  }

  text(name: SettingName): string | undefined {
    return this.#find(name).value
  }

  /** A number that is not negative. */
  number(name: SettingName): number {
    const { value, source, label } = this.#find(name)
    if (isNumber(value)) return Number(value)
    throw new AgentMailError(
      source === 'flag' ? 'invalid_request' : 'bad_config',
      `${label} must be a number of 0 or more, not "${value}"`,
      'Correct it, or leave it out to use the default.',
    )
  }

  /** A number above zero, not larger than a timer takes. */
  seconds(name: SettingName): number {
    const seconds = this.number(name)
    if (seconds > 0 && seconds <= 2_000_000) return seconds
    throw new AgentMailError(
      'bad_config',
      `${settings[name].env} must be more than 0 and at most 2000000, not "${seconds}"`,
      'Correct it, or leave it out to use the default.',
    )
  }

  /** One of these words. */
  choice<const Word extends string>(name: SettingName, words: readonly Word[]): Word | undefined {
    const { value, label } = this.#find(name)
    const chosen = words.find((word) => word === value?.trim().toLowerCase())
    if (chosen !== undefined || value === undefined) return chosen
    throw new AgentMailError(
      'server_config',
      `${label} must be one of ${words.join(', ')}, not "${value}"`,
      'Correct it, or leave it out to use the default.',
    )
  }

  /** Everything in force, for `agentmail config`: secrets masked. */
  inForce(): SettingInForce[] {
    return settingNames.map((name) => {
      const { value, source } = this.#find(name)
      const shape: SettingShape = settings[name]
      const shown = value !== undefined && shape.secret ? mask : withoutPassword(value ?? null)
      return {
        name,
        env: shape.env,
        value: typeof shape.fallback === 'number' && isNumber(value) ? Number(value) : shown,
        source,
        ...(typeof shape.fallback === 'number' && !isNumber(value) ? { invalid: true } : {}),
        about: shape.about,
      }
    })
  }

  #find(name: SettingName) {
    const shape: SettingShape = settings[name]
    const flag = shape.flag === undefined ? undefined : this.#flags[shape.flag]
    if (typeof flag === 'string') {
      return { value: flag, source: 'flag' as const, label: `--${shape.flag}` }
    }
    const value = this.#env[shape.env]
    if (value !== undefined && value.trim() !== '') {
      return { value, source: 'environment' as const, label: shape.env }
    }
    const fallback = shape.fallback === undefined ? undefined : String(shape.fallback)
    return { value: fallback, source: 'default' as const, label: shape.env }
  }
}

const mask = '********'

/** An address may carry one: `mysql://user:password@host`, also one that is misspelled. */
const withoutPassword = (value: string | null) =>
  value
    ?.replace(/((?:\/\/|^[a-z][\w+.-]+:\/?)[^:@/]*:).*@/i, `$1${mask}@`)
    .replace(/([?&][^=&]*(?:pass|secret|token|key)[^=&]*=)[^&]*/gi, `$1${mask}`) ?? null

/** As it stands in an address, and as it is meant. */
function passwordsIn(value: string): string[] {
  const [, found] = /^[a-z][\w+.-]*:\/\/[^:@/]*:(.+)@/i.exec(value) ?? []
  if (found === undefined) return []
  try {
    return [found, decodeURIComponent(found)]
  } catch {
    return [found]
  }
}

const isNumber = (value: string | undefined): boolean =>
  value !== undefined && value.trim() !== '' && Number.isFinite(Number(value)) && Number(value) >= 0
