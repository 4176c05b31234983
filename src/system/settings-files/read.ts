/** What a file of settings says: TOML with one key a setting. Of a repository's, what it may not say or says wrongly is ignored; of the user's own, that is an error. */
import { parse, TomlError } from 'smol-toml'
import { fileKeyOf, type SettingsFile, settingNames } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { holdsOf, type SettingName, secretsOf, wrongOf } from '../../setting-values.ts'
import { type SettingShape, settings } from '../../settings.ts'
import { shellWord, steering } from '../text.ts'
import type { FoundFile } from './find.ts'
import { positionOf } from './toml-lines.ts'

const mostTroubles = 10
const longestKey = 60
/** Of a repository's, which are names and numbers. */
const longestValue = 200

const shapeOf = (name: SettingName): SettingShape => settings[name]
const namesByKey = new Map(settingNames.map((name) => [fileKeyOf(name), name]))
const keys = settingNames.filter((name) => shapeOf(name).file !== 'none').map(fileKeyOf)

/** The setting that a person means: by its key, its variable, or as JSON calls it. */
export const settingCalled = (given: string): SettingName | undefined =>
  namesByKey.get(given) ??
  settingNames.find((name) => settings[name].env === given || name === given)

/** `. Did you mean stale_seconds?`, or nothing. */
export const keyHint = (given: string): string => {
  const name = settingCalled(given)
  return name && keys.includes(fileKeyOf(name))
    ? `. Did you mean ${fileKeyOf(name)}?`
    : didYouMean(given, keys)
}

export interface ReadFile {
  file: SettingsFile
  /** Why the user's own cannot be taken as it is. */
  error?: AgentMailError
}

export function settingsIn(found: FoundFile): ReadFile {
  const reader = new Reader(found)
  const table = found.trouble === undefined ? reader.parsed() : undefined
  if (found.trouble !== undefined) reader.refuse(found.trouble)
  for (const [key, value] of Object.entries(table ?? {})) reader.take(key, value)
  return reader.read()
}

/** The table in a text. An error names the place in the file, and nothing of what stands there: it may be a secret. */
export function tomlOf(text: string, path: string): Record<string, unknown> {
  try {
    return { ...parse(text.replace(/^\ufeff/, '')) } // as objects are made elsewhere
  } catch (error) {
    const { line, column } = error instanceof TomlError ? error : { line: 1, column: 1 }
    const [words = ''] = error instanceof TomlError ? error.message.split('\n') : []
    const what = words.replace(/^Invalid TOML document: /, '') || 'it is no TOML'
    throw wrongFile(path, `line ${line}, column ${column}: ${what}`, { line, column })
  }
}

const wrongFile = (path: string, trouble: string, place = {}) =>
  new AgentMailError(
    'server_config',
    `${path}: ${trouble}`,
    'Correct the file; agentmail config shows what holds without it.',
    { details: { file: path, ...place } },
  )

class Reader {
  readonly #found: FoundFile
  readonly #values: Partial<Record<SettingName, string>> = {}
  readonly #troubles: string[] = []
  #error: AgentMailError | undefined

  constructor(found: FoundFile) {
    this.#found = found
  }

  parsed(): Record<string, unknown> | undefined {
    const { text, path } = this.#found
    try {
      return tomlOf(text, path)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      if (this.#found.source === 'user') this.#error = error
      this.#troubles.push(error.message)
      return undefined
    }
  }

  take(key: string, given: unknown): void {
    const name = namesByKey.get(key)
    if (name === undefined) this.#ignore(key, 'is no setting', keyHint(key))
    else if (shapeOf(name).file === 'none') this.#ignore(key, 'can be set by no file')
    else if (this.#found.source === 'repository' && shapeOf(name).file !== 'repository') {
      this.#ignore(key, 'may not be set by a repository')
    } else {
      const value = textOf(name, given)
      const wrong = value === undefined ? `must be ${formOf(name)}` : this.#wrongOf(name, value)
      if (wrong !== undefined) this.#refuseKey(key, wrong)
      else if (value !== undefined) this.#values[name] = value
    }
  }

  #wrongOf(name: SettingName, value: string): string | undefined {
    const wrong = value.trim() === '' ? undefined : wrongOf(name, value)
    if (wrong !== undefined) return `is ${wrong}`
    const { source, isPrivate, path } = this.#found
    if (source === 'repository') return value.length > longestValue ? 'is too long' : undefined
    if (isPrivate || secretsOf(name, value).length === 0) return undefined
    return `is a secret, and others can read the file: chmod 600 ${shellWord(path)}`
  }

  refuse(trouble: string, place = {}): void {
    const { source, path } = this.#found
    const error = wrongFile(path, trouble, place)
    if (source === 'user') this.#error ??= error
    this.#troubles.push(error.message)
  }

  read(): ReadFile {
    const { source, path } = this.#found
    const more = this.#troubles.length - mostTroubles
    const troubles = this.#troubles.slice(0, mostTroubles)
    if (more > 0) troubles.push(`${path}: ${more} more of this kind`)
    const file = { source, path, values: this.#values, troubles }
    return this.#error ? { file, error: this.#error } : { file }
  }

  #ignore(key: string, why: string, hint = ''): void {
    const { path, text } = this.#found
    const { line } = positionOf(text, key)
    this.#troubles.push(`${path}, line ${line}: ${shown(key)} ${why} and is ignored${hint}`)
  }

  #refuseKey(key: string, why: string): void {
    const { line, column } = positionOf(this.#found.text, key)
    if (this.#found.source === 'repository') this.#ignore(key, why)
    else this.refuse(`line ${line}, column ${column}: ${key} ${why}`, { line, column })
  }
}

const shown = (key: string): string =>
  key.slice(0, longestKey).replace(steering, '\ufffd').replace(/\s+/g, ' ')

/** As the environment would say it; nothing where the form does not fit. */
function textOf(name: SettingName, given: unknown): string | undefined {
  const holds = holdsOf(name)
  if (typeof given === 'string') return given
  if (typeof given === 'number' && (holds === 'number' || holds === 'positive'))
    return String(given)
  if (typeof given === 'boolean' && holds === 'switch') return String(given)
  const isList = holds === 'list' && Array.isArray(given)
  return isList && given.every((one) => typeof one === 'string') ? given.join(', ') : undefined
}

function formOf(name: SettingName): string {
  const holds = holdsOf(name)
  if (holds === 'switch') return 'true or false'
  if (holds === 'list') return 'a list of texts'
  return holds === 'text' ? 'a text in quotes' : 'a number'
}
