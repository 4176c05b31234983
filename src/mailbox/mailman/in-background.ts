/** The mailman of a post office in the background: started, found, and stopped. */
import { closeSync, fstatSync, ftruncateSync } from 'node:fs'
import { join } from 'node:path'
import { AgentMailError } from '../../errors.ts'
import { sleep } from '../../system/clock.ts'
import { openRegularFile } from '../../system/files.ts'
import { withStorageErrors } from '../../system/post-office-folder.ts'
import { endProcess, startToStay } from '../../system/run-program.ts'
import type { PostOffice } from '../post-office.ts'
import { pidIfRunning, takePidFile, warnOfStale } from './pid-file.ts'

const startMs = 30_000
/** Whoever takes the PID file has its number in it at once: what stays in it this long is the holder's. */
const settledMs = 50

export const mailmanLog = (office: PostOffice): string => join(office.dir, 'mailman.log')

export interface StartedMailman {
  pid: number
  log: string
  /** Its exit code, where it could not be started. */
  failed?: number
}

/** Stays until it has said that it runs; throws `already_running` where one does. */
export async function startMailman(
  office: PostOffice,
  env: Record<string, string>,
  json: boolean,
): Promise<StartedMailman> {
  const pidFile = await takePidFile(office.pidFile)
  warnOfStale(pidFile)
  pidFile.release()
  const log = mailmanLog(office)
  const output = withStorageErrors(() =>
    openRegularFile(log, { create: true, append: true, isPrivate: true }),
  )
  try {
    if (fstatSync(output).size > 1 << 20) ftruncateSync(output)
    const args = ['mailman', ...(json ? ['--json'] : [])]
    const begun = await startToStay({ args, env, output, limit: startMs })
    if (begun === 'late') return { pid: 0, log, failed: 1 }
    return 'pid' in begun ? { pid: begun.pid, log } : { pid: 0, log, failed: begun.exitCode }
  } finally {
    closeSync(output)
  }
}

/** Its process id, when it has ended; nothing where none ran. */
export async function stopMailman(office: PostOffice): Promise<number | undefined> {
  const pid = await settledPid(office)
  if (pid === undefined) return undefined
  const isThere = () => pidIfRunning(office.pidFile) === pid
  if (await endProcess({ pid, what: 'the mailman', isThere })) return pid
  throw new AgentMailError('busy', `the mailman with PID ${pid} does not end`)
}

async function settledPid({ pidFile }: PostOffice): Promise<number | undefined> {
  let pid = pidIfRunning(pidFile)
  for (let before: number | undefined; pid !== before; ) {
    before = pid
    await sleep(settledMs)
    pid = pidIfRunning(pidFile)
  }
  return pid
}
