/** What several checks look at, found out once for all of them. */
import type { Config } from '../../config.ts'
import { namedServer } from '../../connection/remote/server-address.ts'
import { checkDatabase, type DatabaseCheck } from '../../coordination/upkeep/check.ts'
import { AgentMailError } from '../../errors.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownView } from '../../mailbox/tmux.ts'
import { learnKeptPassword } from '../../providers/imap/login/kept-login.ts'
import { findServers } from '../../server/background.ts'
import { type Database, databaseOf } from '../../store/database.ts'
import type { Patient } from './check.ts'

/** Less than a check has. */
const databaseMs = 4_000

export async function patientOf(config: Config): Promise<Patient> {
  learnKeptPassword(config)
  const [located, view] = await Promise.all([locate(config), ownView(config)])
  const database = (): Database | undefined =>
    namedServer(config) ? undefined : databaseOf(config, { create: false })
  return {
    config,
    view,
    ...located,
    database,
    databaseCheck: once(() => lookInto(database())),
    servers: once(async () => {
      const there = database()
      return there ? findServers(config, there, { isLook: true }) : []
    }),
  }
}

async function locate(config: Config): Promise<Pick<Patient, 'office' | 'noOffice'>> {
  try {
    return { office: await PostOffice.locateUnchecked(config), noOffice: undefined }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { office: undefined, noOffice: error }
  }
}

async function lookInto(database: Database | undefined): Promise<DatabaseCheck> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const next = 'Check that its server runs, and its address in AGENTMAIL_DB.'
    const words = `${database?.name} did not answer within ${databaseMs / 1000} s`
    timer = setTimeout(() => reject(new AgentMailError('storage', words, next)), databaseMs)
  })
  try {
    return await Promise.race([viewed(database), late])
  } catch (error) {
    if (AgentMailError.is(error)) throw error
    throw database?.explained(error) ?? error
  } finally {
    clearTimeout(timer)
  }
}

async function viewed(database: Database | undefined): Promise<DatabaseCheck> {
  const view = await database?.view()
  try {
    return await checkDatabase(view, { isQuick: true })
  } finally {
    await view?.close()
  }
}

/** Asked for by several at once, done for the first of them. */
function once<T>(look: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= look()
    return answer
  }
}
