/** The values of settings: how they may be shown, what in them is secret, and what is wrong with them. */
import { isProjectName, wrongAgentName } from './names.ts'
import { type SettingShape, settings } from './settings.ts'

export type SettingName = keyof typeof settings

const mask = '********'

/** What may stand in an address of a server or a database, and in a command that starts one. */
const addresses: SettingName[] = [
  ...(['db', 'server', 'llmBaseUrl', 'postmarkBaseUrl'] as const),
  ...(['gmailBaseUrl', 'oauthBaseUrl'] as const),
]
const commands: SettingName[] = ['gmailServer', 'obsidianServer']

/** As it may be shown: nothing of which it is not clear that it is no secret. */
export function shownValue(name: SettingName, value: string): string {
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

/** What in a value must be in no text that leaves this process. */
export function secretsOf(name: SettingName, value: string): string[] {
  const { secret }: SettingShape = settings[name]
  const parts = secretsIn(value, commands.includes(name) ? '(?:=|\\s+)' : '=')
  return secret ? [value, ...parts] : parts
}

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

/** What is wrong with a value; nothing where the commands that use it will take it. */
export function wrongOf(name: SettingName, value: string): string | undefined {
  const { words }: SettingShape = settings[name]
  const holds = holdsOf(name)
  if (words && !words.includes(value.trim().toLowerCase())) return `none of ${words.join(', ')}`
  if (name === 'notify' && !isWebAddress(value)) return 'no http(s) address'
  if (name === 'project' && !isProjectName(value))
    return 'no name of up to 100 characters without a slash'
  if (name === 'agent' && wrongAgentName(value) !== undefined)
    return 'no name that an agent can have'
  if (holds === 'number' && !isNumber(value)) return 'not a number of 0 or more'
  if (holds === 'positive' && !isNumber(value)) return 'not a number above 0'
  if (holds === 'positive' && !isPositive(Number(value))) return 'not above 0 and up to 2000000'
  return undefined
}

/** Numbers, switches and lists have a form of their own in a file. */
export function holdsOf(name: SettingName): NonNullable<SettingShape['holds']> | 'text' {
  const { holds, fallback }: SettingShape = settings[name]
  return holds ?? (typeof fallback === 'number' ? 'number' : 'text')
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

/** Not larger than a timer takes. */
export const isPositive = (count: number): boolean => count > 0 && count <= 2_000_000

export const isNumber = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== '' && Number.isFinite(Number(value)) && Number(value) >= 0
