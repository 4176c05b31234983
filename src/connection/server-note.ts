/** The note for a database that says which server answers for it, so that other processes go through that server. */
import { rmSync } from 'node:fs'
import { replaceFile, textOfFile } from '../system/files.ts'
import { log } from '../system/log.ts'
import { isAlive } from '../system/run-program.ts'
import { isRecord, jsonOf } from '../system/text.ts'

export interface ServerNote {
  url: string
  /** Tells this start of a server from others that had the port before. */
  instance: string
  /** Its process, as it says itself. */
  pid?: number
}

function isWritten(file: string, note: ServerNote): boolean {
  try {
    replaceFile(file, [Buffer.from(JSON.stringify({ pid: process.pid, ...note }))])
    return true
  } catch {
    return false
  }
}

export function readServerNote(file: string): ServerNote | undefined {
  try {
    const note = jsonOf(textOfFile(file))
    if (!isRecord(note) || typeof note.url !== 'string' || typeof note.instance !== 'string')
      return undefined
    const { url, instance, pid } = note
    return { url, instance, ...(typeof pid === 'number' && { pid }) }
  } catch {
    return undefined
  }
}

/** Whether it lives and is of the same user; one that no note names may be anybody's. */
export function isOwnProcess(pid: number | undefined): boolean {
  if (pid === undefined) return true
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Several servers may serve one database: where the one that the note names has gone, another takes its place. @returns what ends it. */
export function keepServerNote(
  file: string,
  note: ServerNote,
  isServing: () => boolean,
): () => void {
  const before = readServerNote(file)
  if (!isWritten(file, note)) {
    log(`${file} could not be written: other processes will work on the database themselves`)
  }
  const look = () => isServing() && isDeserted(file) && isWritten(file, note)
  const looking = setInterval(look, lookMs).unref()
  return () => {
    clearInterval(looking)
    if (readServerNote(file)?.instance !== note.instance) return // another has taken its place
    const isThere = before?.pid !== undefined && isAlive(before.pid)
    if (!isThere || !isWritten(file, before)) removeServerNote(file, note)
  }
}

const lookMs = 5_000

function isDeserted(file: string): boolean {
  try {
    const noted = jsonOf(textOfFile(file))
    return !isRecord(noted) || typeof noted.pid !== 'number' || !isAlive(noted.pid)
  } catch {
    return false
  }
}

/** Unless another server has taken its place. */
export function removeServerNote(file: string, { instance }: ServerNote): void {
  if (readServerNote(file)?.instance === instance) rmSync(file, { force: true })
}
