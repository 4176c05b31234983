/** mailman.pid: one mailman a post office. The lock on the file says whether it runs, its text only who it is. */
import { closeSync, ftruncateSync, rmSync, writeSync } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import { textHeld, textOfFile } from '../../system/files.ts'
import { wordsIfHeld } from '../../system/holder.ts'
import { log } from '../../system/log.ts'
import { asStorageError, withStorageErrors } from '../../system/post-office-folder.ts'
import { openLockedFile } from '../locked-file.ts'

export interface PidFile {
  /** The process id that a dead mailman left in the file. */
  stale: string | undefined
  release(): void
}

/** Takes the file for this process, or throws `already_running` with the process id of the one that has it. */
export async function takePidFile(path: string): Promise<PidFile> {
  const fd = await openLockedFile(path, { create: true, patienceMs: 20 }).catch((error) => {
    const isBusy = AgentMailError.is(error, 'busy')
    throw isBusy ? alreadyRunning(path) : asStorageError(error)
  })
  if (fd === undefined) throw alreadyRunning(path)
  return withStorageErrors(() => {
    const stale = textHeld(fd).trim() || undefined
    ftruncateSync(fd)
    writeSync(fd, `${process.pid}\n`, 0)
    const release = () => {
      if (textOfFile(path).trim() === String(process.pid)) rmSync(path, { force: true })
      closeSync(fd)
    }
    return { stale, release }
  })
}

function alreadyRunning(path: string): AgentMailError {
  const pid = withStorageErrors(() => textOfFile(path)).trim()
  return new AgentMailError(
    'already_running',
    `mailman is already running (PID: ${pid})`,
    `Stop it with: kill ${pid}`,
  )
}

/** The process id of the mailman that runs; nothing where none does, whatever the file says. */
export function pidIfRunning(path: string): number | undefined {
  const pid = Number(withStorageErrors(() => wordsIfHeld(path))?.trim())
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
}

export function warnOfStale({ stale }: PidFile): void {
  const who = stale && /^\d{1,10}$/.test(stale) ? `PID ${stale}` : 'no readable PID'
  if (stale) log(`warning: a mailman with ${who} ended without a word; taking over from it`)
}
