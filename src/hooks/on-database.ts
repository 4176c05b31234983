/** A hook that is heard on the database itself, by a process of its own: where no server runs. */
import type { Config } from '../config.ts'
import { saidProject } from '../connection/here.ts'
import { openCoordination } from '../connection/open-coordination.ts'
import { hear } from '../sessions/hear.ts'
import type { HookAnswer, SessionMoment, Surroundings } from '../sessions/moment.ts'
import { databaseOf } from '../store/database.ts'
import { deskAt, homeOfSession } from './desk-at.ts'

export async function hearOnDatabase(
  config: Config,
  told: SessionMoment,
  around: Surroundings,
  isLate: () => boolean,
): Promise<HookAnswer> {
  const { project, wished } = saidProject(config)
  const coordination = await openCoordination(config, databaseOf(config), {})
  try {
    const versionSeconds = config.withoutRepository().seconds('doltCommitSeconds')
    coordination.startKeepingVersions(versionSeconds * 1000)
    // Where nobody looks after it, what the gone have held would be held for ever.
    if (!(await coordination.isAttended())) await coordination.sweep()
    const cwd = await homeOfSession(coordination, told)
    const desk = await deskAt({ config, coordination }, { cwd, project, wished })
    return await hear(desk, told, around, isLate)
  } finally {
    await coordination.close()
  }
}
