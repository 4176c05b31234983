/** The note beside a database that says which server answers for it, so that other processes go through that server. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isRecord, jsonOf } from '../json.ts'
import { log } from '../log.ts'

export interface ServerNote {
  url: string
  /** Tells this start of a server from others that had the port before. */
  instance: string
}

const fileOf = (database: string) => `${database}.server`

export function writeServerNote(database: string, note: ServerNote): void {
  const file = fileOf(database)
  try {
    rmSync(`${file}.new`, { force: true })
    writeFileSync(`${file}.new`, JSON.stringify({ ...note, pid: process.pid }), {
      mode: 0o600,
      flag: 'wx',
    })
    renameSync(`${file}.new`, file)
  } catch {
    log(`${file} could not be written: other processes will work on the database themselves`)
  }
}

export function readServerNote(database: string): ServerNote | undefined {
  try {
    const note = jsonOf(readFileSync(fileOf(database), 'utf8'))
    if (!isRecord(note) || typeof note.url !== 'string' || typeof note.instance !== 'string')
      return undefined
    return { url: note.url, instance: note.instance }
  } catch {
    return undefined
  }
}

/** Unless another server has taken its place. */
export function removeServerNote(database: string, { instance }: ServerNote): void {
  if (readServerNote(database)?.instance === instance) rmSync(fileOf(database), { force: true })
}
