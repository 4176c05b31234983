/** Tells a person that something needs them: leaves a notice to be posted, and sees to it that somebody posts it. */
import { closeSync, fstatSync, ftruncateSync } from 'node:fs'
import type { Config } from '../config.ts'
import { systemClock } from '../system/clock.ts'
import { openRegularFile } from '../system/files.ts'
import { logSeldom } from '../system/log.ts'
import { currentFolder } from '../system/post-office-folder.ts'
import { randomId } from '../system/random.ts'
import { startInBackground } from '../system/run-program.ts'
import { sha256 } from '../system/text.ts'
import { destinationOf } from './destination.ts'
import { noticeOf, type Telling } from './notice.ts'
import { Spool } from './spool.ts'

const mostLogBytes = 1 << 16

/** Never in the way of what it tells of: it waits for no network and throws nothing. */
export async function tellPerson(config: Config, telling: Telling): Promise<void> {
  try {
    const destination = destinationOf(config)
    if (!destination) return
    const spool = new Spool(config, destination.url)
    const { key } = telling
    const id = key === undefined ? randomId(16) : sha256(key).slice(0, 32)
    const project = telling.project ?? config.text('project')
    // Which project a folder is, whoever posts it finds out: here it would take time.
    const where = project === undefined ? here() : {}
    const notice = noticeOf(telling, config.text('agent') ?? '', project ?? 'default')
    const isWaiting = await spool.add({ id, at: systemClock.now(), ...notice, ...where })
    if (isWaiting) await seeToPosting(config, spool)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    logSeldom('notices that could not be left', `a notice could not be left: ${why}`)
  }
}

/** Nothing where the current folder is gone. */
function here(): { folder?: string } {
  try {
    return { folder: currentFolder() }
  } catch {
    return {}
  }
}

/** Where nobody posts, a process is started that does until nothing waits. */
export async function seeToPosting(config: Config, spool: Spool): Promise<void> {
  if (!(await spool.needsPoster())) return
  const output = openRegularFile(spool.path('poster.log'), {
    create: true,
    append: true,
    isPrivate: true,
  })
  try {
    if (fstatSync(output).size > mostLogBytes) ftruncateSync(output)
    startInBackground('post-notices', config.environment(), output)
  } finally {
    closeSync(output)
  }
}
