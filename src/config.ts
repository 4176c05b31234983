/** What is in force of the settings: a flag wins over the environment, that over the files, those over the default. */
import { AgentMailError } from './errors.ts'
import {
  isNumber,
  isPositive,
  type SettingName,
  secretsOf,
  shownValue,
  wrongOf,
} from './setting-values.ts'
import { type SettingShape, settings } from './settings.ts'

export type { SettingName } from './setting-values.ts'

/** The options of a command that takes these settings as flags. */
export const optionsOf = (...names: SettingName[]) =>
  Object.fromEntries(
    names.map((name): [string, { type: 'string'; value: string; about: string }] => {
      const { flag = name, value = 'n', about }: SettingShape = settings[name]
      return [flag, { type: 'string', value, about }]
    }),
  )

const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name)
export const settingNames = Object.keys(settings).filter(isSetting)

export type Flags = Readonly<Record<string, string | boolean | undefined>>
export type Environment = Readonly<Record<string, string | undefined>>

/** How a setting is called in a file. @example fileKeyOf('staleSeconds') // 'stale_seconds' */
export const fileKeyOf = (name: SettingName): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What a file says of the settings: the repository's, or the user's own. */
export interface SettingsFile {
  source: 'repository' | 'user'
  path: string
  values: Readonly<Partial<Record<SettingName, string>>>
  /** What in it is ignored, and why. */
  troubles: readonly string[]
}

declare global {
  /** Of this process, whichever part of it asks: built entries carry a copy of this file each. */
  var agentmailSettingsFiles: readonly SettingsFile[] | undefined
  /** What this process has learned beside them. */
  var agentmailSecrets: Set<string> | undefined
}

/** A secret that stands in no setting, such as a password that is kept in a file: no text may hold it from now on. */
export function learnSecret(secret: string): void {
  globalThis.agentmailSecrets ??= new Set()
  globalThis.agentmailSecrets.add(secret)
}

/** Before the first Config: the repository's file, then the user's. */
export function useSettingsFiles(files: readonly SettingsFile[]): void {
  globalThis.agentmailSettingsFiles = files
}

export interface SettingInForce {
  name: SettingName
  env: string
  /** How a file calls it; null where none may set it. */
  key: string | null
  value: string | number | null
  source: 'flag' | 'environment' | SettingsFile['source'] | 'default'
  /** Where it stands, if it is in one. */
  file?: string
  /** Present on a value that the commands which use it will refuse, with what is wrong. */
  invalid?: true
  wrong?: string
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
  readonly #files: readonly SettingsFile[]

  /** An environment of one's own goes without the files of this process, unless they are named too. */
  constructor(
    flags: Flags = {},
    env: Environment = process.env,
    files = env === process.env ? (globalThis.agentmailSettingsFiles ?? []) : [],
  ) {
    this.#flags = flags
    this.#env = env
    this.#files = files
  }

  /** The same, but for these; what is undefined here stands in no file either. */
  with(changes: Environment): Config {
    const isChanged = ([name]: [string, unknown]) =>
      isSetting(name) && Object.hasOwn(changes, settings[name].env)
    const files = this.#files.map((file) => ({
      ...file,
      values: Object.fromEntries(Object.entries(file.values).filter((entry) => !isChanged(entry))),
    }))
    return new Config(this.#flags, { ...this.#env, ...changes }, files)
  }

  /** For what serves all repositories: none of them sets its rules. */
  withoutRepository(): Config {
    const files = this.#files.filter(({ source }) => source !== 'repository')
    return new Config(this.#flags, this.#env, files)
  }

  /** What the files of this process are, and what in them is ignored. */
  files(): readonly SettingsFile[] {
    return this.#files
  }

  /** What a process is started with that is to see the same settings: flags and files become variables. */
  environment(): Record<string, string> {
    const variables: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#env)) {
      if (value !== undefined) variables[name] = value
    }
    for (const shape of Object.values<SettingShape>(settings)) {
      const flag = shape.flag === undefined ? undefined : this.#flags[shape.flag]
      if (typeof flag === 'string') variables[shape.env] = flag
    }
    for (const name of settingNames) {
      const { source, value } = this.#find(name)
      // A wish of the repository does not become the word of the person.
      const isFile = source === 'user' || (source === 'repository' && name !== 'project')
      if (isFile && value !== undefined) variables[settings[name].env] = value
    }
    return variables
  }

  /** What must be in no text that leaves this process. */
  secrets(): string[] {
    const inSettings = settingNames.flatMap((name) => {
      const value = this.text(name)
      return value === undefined ? [] : secretsOf(name, value)
    })
    return [...inSettings, ...(globalThis.agentmailSecrets ?? [])]
  }

  text(name: SettingName): string | undefined {
    return this.#find(name).value
  }

  /** Whether anybody says it, or it is the default. */
  isSet(name: SettingName): boolean {
    return this.#find(name).source !== 'default'
  }

  /** Whether a flag says it, for this call alone. */
  isFlag(name: SettingName): boolean {
    return this.#find(name).source === 'flag'
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
    if (isPositive(seconds)) return seconds
    throw new AgentMailError(
      'bad_config',
      `${this.#find(name).label} must be more than 0 and at most 2000000, not "${seconds}"`,
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
    return settingNames.map((name) => this.setting(name))
  }

  /** The same of one. */
  setting(name: SettingName): SettingInForce {
    const { value, source, file } = this.#find(name)
    const shape: SettingShape = settings[name]
    const wrong = value === undefined ? undefined : wrongOf(name, value)
    const isCount = typeof shape.fallback === 'number' && isNumber(value)
    return {
      name,
      env: shape.env,
      key: shape.file === 'none' ? null : fileKeyOf(name),
      value: isCount ? Number(value) : value === undefined ? null : shownValue(name, value),
      source,
      ...(file === undefined ? {} : { file }),
      ...(wrong === undefined ? {} : { invalid: true, wrong }),
      about: shape.about,
    }
  }

  #find(name: SettingName): Found {
    const shape: SettingShape = settings[name]
    const flag = shape.flag === undefined ? undefined : this.#flags[shape.flag]
    if (typeof flag === 'string') return { value: flag, source: 'flag', label: `--${shape.flag}` }
    const value = this.#env[shape.env]
    if (isSaid(value)) return { value, source: 'environment', label: shape.env }
    for (const { source, path, values } of this.#files) {
      const value = values[name]
      if (isSaid(value)) {
        return { value, source, file: path, label: `${fileKeyOf(name)} in ${path}` }
      }
    }
    const fallback = shape.fallback === undefined ? undefined : String(shape.fallback)
    return { value: fallback, source: 'default', label: shape.env }
  }
}

interface Found {
  value: string | undefined
  source: SettingInForce['source']
  /** How it is called where it stands. */
  label: string
  file?: string
}

const isSaid = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== ''
