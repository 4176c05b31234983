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
      const parts = secretsIn(value, commands.includes(name) ? '(?:=|\\s+)' : '=')
      return secret ? [value, ...parts] : parts
    })
  }

  text(name: SettingName): string | undefined {
    return this.#find(name).value
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
      return {
        name,
        env: shape.env,
        value:
          typeof shape.fallback === 'number' && isNumber(value)
            ? Number(value)
            : value === undefined
              ? null
              : shown(name, value),
        source,
        ...wrongOf(name, value),
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

/** What may stand in an address of a server or a database, and in a command that starts one. */
const addresses: SettingName[] = [
  ...(['db', 'server', 'llmBaseUrl', 'postmarkBaseUrl'] as const),
  ...(['gmailBaseUrl', 'oauthBaseUrl'] as const),
]
const commands: SettingName[] = ['gmailServer', 'obsidianServer']

/** As it may be shown: nothing of which it is not clear that it is no secret. */
function shown(name: SettingName, value: string): string {
  const { secret }: SettingShape = settings[name]
  if (secret) return mask
  if (commands.includes(name)) return shownCommand(value)
  if (addresses.includes(name)) return shownAddress(value.trim())
  return value
    .replace(/((?:\/\/|^[a-z][\w+.-]+:\/?)[^:@/]*:).*@/i, `$1${mask}@`)
    .replace(/([?&][^=&]*(?:pass|pwd|secret|token|key|auth)[^=&]*=)[^&]*/gi, `$1${mask}`)
}

/** Its program alone: any word behind it may be a token. */
function shownCommand(value: string): string {
  const [program = '', rest] = value.trim().split(/\s+/)
  const known = /^[\w./~@+-]+$/.test(program) ? program : mask
  return rest === undefined ? known : `${known} …`
}

/** The user of a database is shown, that of a web address may be a token. What is no address and no plain path may be either, misspelled. */
function shownAddress(text: string): string {
  if (/^[^:?#=]*$/.test(text)) return text
  const [, scheme, credentials, hosts = '', path = '', query] =
    /^([a-z][\w+.-]*:\/\/)(?:(.*)@)?([^/@?#]*)(\/[^?#@]*)?(?:\?(.*))?$/is.exec(text) ?? []
  const areHosts = hosts
    .split(',')
    .every((host) => /^(\[[\da-f:.]+\]|[^:]+)(:\d{1,5})?$/i.test(host))
  if (scheme === undefined || !areHosts) return mask
  const [user = '', ...password] = credentials?.split(':') ?? []
  const isShown = /^mysql:/i.test(scheme) && /^[\w.%+-]*$/.test(user)
  const who = isShown ? [user, ...(password.length > 0 ? [mask] : [])].join(':') : mask
  const parts = query?.split('&').map((part) => (/^ssl-\w+=/.test(part) ? part : maskedPart(part)))
  const from = credentials === undefined ? '' : `${who}@`
  return `${scheme}${from}${hosts}${path}${parts ? `?${parts.join('&')}` : ''}`
}

const maskedPart = (part: string): string => part.replace(/(^[\w-]+=)?.*/s, `$1${mask}`)

/** As they stand in an address or a command, and as they are meant. */
function secretsIn(value: string, equals: string): string[] {
  const named = String.raw`[\w.%-]*(?:pass|pwd|secret|token|key|auth|cred)[\w.%-]*`
  const found = [
    /(?:\/\/|^\s*["']?[a-z][\w+.-]+:\/?)[^:@/]*:(.+)@/gi,
    new RegExp(`(?:^|[\\s?&;"'-])${named}${equals}["']?([^\\s&;"']+)`, 'gi'),
    /[?&]p(?:w|wd)?=([^&\s]+)/gi,
  ].flatMap((pattern) => [...value.matchAll(pattern)].map(([, secret = '']) => secret))
  return found.flatMap((secret) => {
    try {
      return [secret, decodeURIComponent(secret)]
    } catch {
      return [secret]
    }
  })
}

export const notifyFormats = ['json', 'ntfy', 'slack'] as const

/** What is not a number, and can be wrong all the same. */
const checks: Partial<Record<SettingName, { isRight: (value: string) => boolean; wrong: string }>> =
  {
    notify: { isRight: isWebAddress, wrong: 'no http(s) address' },
    notifyFormat: {
      isRight: (value) => notifyFormats.some((format) => format === value.trim().toLowerCase()),
      wrong: `none of ${notifyFormats.join(', ')}`,
    },
  }

function wrongOf(name: SettingName, value: string | undefined) {
  const { fallback }: SettingShape = settings[name]
  const check = checks[name]
  const isWrong = value !== undefined && check?.isRight(value) === false
  if (isWrong) return { invalid: true, wrong: check.wrong } as const
  const isNoNumber = typeof fallback === 'number' && !isNumber(value)
  return isNoNumber ? ({ invalid: true, wrong: 'not a number' } as const) : {}
}

/** With a user and a password that can be read, if any. */
export function isWebAddress(value: string): boolean {
  const address = value.trim()
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address)) return false
  const { username, password } = new URL(address)
  try {
    return decodeURIComponent(username + password) !== undefined
  } catch {
    return false
  }
}

const isNumber = (value: string | undefined): boolean =>
  value !== undefined && value.trim() !== '' && Number.isFinite(Number(value)) && Number(value) >= 0
