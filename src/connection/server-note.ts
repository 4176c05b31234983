/** The note for a database that says which server answers for it, so that other processes go through that server. */
import { rmSync } from 'node:fs'
import { replaceFile, textOfFile } from '../system/files.ts'
import { log } from '../system/log.ts'
import { isRecord, jsonOf } from '../system/text.ts'

export interface ServerNote {
  url: string
  /** Tells this start of a server from others that had the port before. */
  instance: string
}

export function writeServerNote(file: string, note: ServerNote): void {
  try {
    replaceFile(file, [Buffer.from(JSON.stringify({ ...note, pid: process.pid }))])
  } catch {
    log(`${file} could not be written: other processes will work on the database themselves`)
  }
}

export function readServerNote(file: string): ServerNote | undefined {
  try {
    const note = jsonOf(textOfFile(file))
    if (!isRecord(note) || typeof note.url !== 'string' || typeof note.instance !== 'string')
      return undefined
    return { url: note.url, instance: note.instance }
  } catch {
    return undefined
  }
}

/** Unless another server has taken its place. */
export function removeServerNote(file: string, { instance }: ServerNote): void {
  if (readServerNote(file)?.instance === instance) rmSync(file, { force: true })
}
