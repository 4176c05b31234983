/** Changes one setting in a file, by one process at a time, and keeps everything else in it byte for byte. */
import { closeSync, fchmodSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'smol-toml'
import { fileKeyOf, type SettingsFile } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { holdsOf, type SettingName, secretsOf, wrongOf } from '../../setting-values.ts'
import { type SettingShape, settings } from '../../settings.ts'
import { makeFolder, openRegularFile, replaceFile } from '../files.ts'
import { openLocked } from '../lock.ts'
import { targetOf } from '../secret-file.ts'
import { readIfThere } from './find.ts'
import { tomlOf } from './read.ts'
import { withKey, withoutKey } from './toml-lines.ts'

interface Place {
  source: SettingsFile['source']
  path: string
}

/** @param value as the environment would say it. */
export async function setInFile(place: Place, name: SettingName, value: string): Promise<void> {
  checkAllowed(place, name)
  const key = fileKeyOf(name)
  const wrong = value.trim() === '' ? 'empty: unset takes it out' : wrongOf(name, value)
  if (wrong !== undefined) throw refused(`${key} is ${wrong}`)
  const meant = tomlValue(name, value)
  const literal = stringify({ value: meant })
    .replace(/^value = /, '')
    .trimEnd()
  const change = (text: string) => {
    const after = withKey(text, key, literal)
    check(place, after, { ...tomlOf(text, place.path), [key]: meant })
    return after
  }
  await changed(place, change, secretsOf(name, value).length > 0)
}

/** @returns whether it was there. */
export async function unsetInFile(place: Place, name: SettingName): Promise<boolean> {
  const { path } = place
  const found = readable(place)
  if (found === undefined || !Object.hasOwn(tomlOf(found, path), fileKeyOf(name))) return false
  const change = (text: string) => {
    const { [fileKeyOf(name)]: _, ...rest } = tomlOf(text, path)
    const after = withoutKey(text, fileKeyOf(name))
    check(place, after, rest)
    return after
  }
  await changed(place, change, false)
  return true
}

function checkAllowed({ source }: Place, name: SettingName): void {
  const { file, env }: SettingShape = settings[name]
  if (file === 'none') {
    throw refused(`${fileKeyOf(name)} can be set by no file`, `It is taken from ${env}.`)
  }
  if (source === 'user' || file === 'repository') return
  throw refused(
    `${fileKeyOf(name)} may not be set by a repository`,
    'Leave --repository out to set it for yourself, in all of them.',
  )
}

function tomlValue(name: SettingName, value: string): string | number | boolean | string[] {
  const holds = holdsOf(name)
  if (holds === 'list') {
    return value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  }
  if (holds === 'text') return value
  if (holds !== 'switch') return Number(value)
  const word = value.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw refused(`${fileKeyOf(name)} must be true or false`)
}

/** Whatever was not understood of the text is left alone, and said. */
function check({ path }: Place, after: string, meant: Record<string, unknown>): void {
  let is: unknown
  try {
    is = tomlOf(after, path)
  } catch {}
  if (!isDeepStrictEqual(is, { ...meant })) {
    throw refused(
      `${path} is written in a way that cannot be changed safely`,
      'Edit it by hand; nothing was written.',
    )
  }
}

/** Tried before anything is made: what is refused leaves no trace. */
async function changed(
  place: Place,
  change: (text: string) => string,
  hasSecret: boolean,
): Promise<void> {
  const before = readable(place)
  if (change(before ?? '') === before) return
  const { source } = place
  await withWords(place, async () => {
    const path = source === 'user' ? targetOf(place.path) : place.path
    if (source === 'user') makeFolder(dirname(path), 0o700)
    const fd = await openLocked({
      open: () => openRegularFile(path, { create: true }),
      there: () => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
      busy: () => new AgentMailError('busy', `another process is changing ${path}`, 'Try again.'),
    })
    try {
      const after = change(readable(place) ?? '')
      const mode = hasSecret ? 0o600 : statSync(path).mode & 0o777
      replaceFile(path, [Buffer.from(after)], {
        temporary: `.${basename(path)}.new`,
        prepare: (file) => fchmodSync(file, mode),
      })
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  })
}

/** Nothing where there is none. */
function readable({ source, path }: Place): string | undefined {
  const found = readIfThere(source, path)
  if (found?.trouble !== undefined) throw refused(`${path}: ${found.trouble}`)
  return found?.text
}

async function withWords(place: Place, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    if (AgentMailError.is(cause)) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown reason'
    throw new AgentMailError(
      'storage',
      `${place.path} cannot be written (${code})`,
      'Look at its permissions and those of its folder.',
      { cause },
    )
  }
}

const refused = (message: string, next?: string) =>
  new AgentMailError('invalid_request', message, next)
