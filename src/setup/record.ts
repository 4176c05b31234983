/** What setup has changed in a file, for `--undo`: as it was before, and how it was left. For its owner alone, since files of clients hold keys. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { systemClock } from '../system/clock.ts'
import { makeFolder, removeFile, replaceFile } from '../system/files.ts'
import { pathsIn, stateFolder, sweepUp, unusableState } from '../system/places.ts'
import { randomId } from '../system/random.ts'
import { jsonOf, sha256 } from '../system/text.ts'
import { bytesAt } from './config-file.ts'

const shape = z.object({
  version: z.literal(1),
  target: z.string(),
  /** In base64; null where there was no file. */
  before: z.base64().nullable(),
  /** The hashes of what was left there: of the last time, and of the time before, should the last not have come to it. */
  after: z.array(z.string()),
  /** Those that were made for it, the innermost first. */
  folders: z.array(z.string()),
})

export interface SetupRecord {
  /** Nothing where there was no file. */
  before: Buffer | undefined
  after: string[]
  folders: string[]
}

const fileOf = (config: Config, target: string): string =>
  join(stateFolder(config), 'setup', `${sha256(target).slice(0, 32)}.json`)

/** Nothing where there is none, or none that can be read: then our entries are taken out one by one. */
export function setupRecordOf(config: Config, target: string): SetupRecord | undefined {
  const text = bytesOrNothing(fileOf(config, target))?.toString('utf8') ?? ''
  const { data } = shape.safeParse(jsonOf(text))
  if (data?.target !== target) return undefined
  const { before, after, folders } = data
  return { before: before === null ? undefined : Buffer.from(before, 'base64'), after, folders }
}

function bytesOrNothing(path: string): Buffer | undefined {
  try {
    return bytesAt(path)
  } catch {
    return undefined
  }
}

export function keepSetupRecord(config: Config, target: string, record: SetupRecord): void {
  sweepUp(() => leftSetupRecords(config).forEach(removeFile))
  const file = fileOf(config, target)
  const before = record.before?.toString('base64') ?? null
  const content = JSON.stringify({ version: 1, target, ...record, before })
  try {
    makeFolder(join(stateFolder(config), 'setup'), 0o700)
    replaceFile(file, [Buffer.from(`${content}\n`)], { temporary: `.${randomId(16)}`, mode: 0o600 })
  } catch (error) {
    throw unusableState(file, error)
  }
}

/** Before anybody is asked. @throws where nothing could be kept. */
export function checkSetupRecords(config: Config): void {
  const wanted = join(stateFolder(config), 'setup')
  try {
    let folder = wanted
    while (!existsSync(folder)) folder = dirname(folder)
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unusableState(wanted, error)
  }
}

/** A record is written a moment before its file. */
const settledMs = 24 * 3600_000

/** Those of files that are gone, as with their repository: nothing can be put back by them. */
export const leftSetupRecords = (config: Config): string[] =>
  pathsIn(join(stateFolder(config), 'setup'), /^[\da-f]{32}\.json$/).filter((path) => {
    const { data } = shape.safeParse(jsonOf(bytesOrNothing(path)?.toString('utf8') ?? ''))
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    return data && systemClock.now() - since > settledMs && !existsSync(data.target)
  })

export function forgetRecord(config: Config, target: string): void {
  const file = fileOf(config, target)
  try {
    if (existsSync(file)) removeFile(file)
  } catch (error) {
    throw unusableState(file, error)
  }
}
