/** The post offices that a user's agents have worked in, so that a server that was started elsewhere finds them. */
import { closeSync, fstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { makeFolder, openRegularFile, textOfFile, writeAll } from '../system/files.ts'
import { dataFolder } from '../system/places.ts'
import { isRecord, jsonOf } from '../system/text.ts'

export interface KnownOffice {
  dir: string
  /** Whose repository, if any, it belongs to. */
  folder: string
}

/** So many are more than anybody has. */
const mostBytes = 1 << 20

/** The file that names them. */
export const officesList = (config: Config): string =>
  join(dataFolder(config), 'post-offices.jsonl')

/** Never in the way: who cannot be found by it can still be written to from here. */
export function rememberOffice(config: Config, dir: string): void {
  try {
    const folder = basename(dir) === '.agentmail' ? dirname(dir) : process.cwd()
    const line = `${JSON.stringify({ dir, folder })}\n`
    const file = officesList(config)
    if (textOfFile(file).includes(line)) return
    makeFolder(dirname(file), 0o700)
    const list = openRegularFile(file, { create: true, append: true, isPrivate: true })
    try {
      if (fstatSync(list).size < mostBytes) writeAll(list, Buffer.from(line))
    } finally {
      closeSync(list)
    }
  } catch {} // it is tried again with the next sign of life
}

export function knownOffices(config: Config): KnownOffice[] {
  return textOfFile(officesList(config))
    .split('\n')
    .flatMap((line) => {
      const value = jsonOf(line)
      if (!isRecord(value)) return []
      const { dir, folder } = value
      return typeof dir === 'string' && typeof folder === 'string' ? [{ dir, folder }] : []
    })
}
