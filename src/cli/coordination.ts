/** What the commands on coordination share: the way to it, who is acting, and a tool's answer. */

import { Config, type Flags, optionsOf } from '../config.ts'
import { actingAs, listOf } from '../connection/acting.ts'
import { connect, withConnection, withConnectionIfThere } from '../connection/connect.ts'
import type { Connection } from '../connection/connection.ts'
import { oldDatabasePath } from '../connection/old-database/old-database-path.ts'
import { ownAgent } from '../connection/own-session.ts'
import type { AgentEntry, AgentName } from '../coordination/agents.ts'
import { AgentMailError } from '../errors.ts'
import { hasName, whoAmI } from '../mailbox/agent.ts'
import { sleep } from '../system/clock.ts'
import { log } from '../system/log.ts'
import { flagText } from './command.ts'
import { isRead, printError } from './output.ts'
import { timeOf } from './times.ts'

const reconnectMs = 1000

/** Options of every command that reads. */
export const placeOptions = optionsOf('server', 'db', 'project')

/** Options of every command that acts as an agent. */
export const actingOptions = {
  as: {
    type: 'string',
    value: 'name',
    about:
      'who you are, by name or agent_id; default: AGENTMAIL_AGENT, the agent of your coding session, or the name of your tmux pane or window',
  },
  role: {
    type: 'string',
    value: 'role',
    about: 'your role, if you are not registered yet (default: person)',
  },
  ...placeOptions,
} as const

const timeHelp = 'only later ones: 2026-01-15T10:00:00Z, a date, yesterday, or 2h (ago)'

/** Settings that page through messages or changes. */
export const pageOptions = {
  since: { type: 'string', value: 'time', about: timeHelp },
  'after-id': { type: 'string', value: 'n', about: 'only those with a higher id' },
  limit: { type: 'string', value: 'n', about: 'at most so many, 1 to 500 (default: 50)' },
  follow: { type: 'boolean', about: 'go on with what comes, until Ctrl-C' },
} as const

interface Cursor {
  since?: string | undefined
  after_id?: number | undefined
  limit?: number | undefined
}

export function pageOf(flags: Flags): Cursor {
  return {
    since: timeOf(flagText(flags.since), '--since'),
    after_id: numberOf(flags, 'after-id'),
    limit: numberOf(flags, 'limit'),
  }
}

/** Where a reader goes on who has just seen these: after the last, or where it began if there was none. */
function cursorAfter(entries: { id: number }[], before: Cursor): Cursor {
  const last = entries.at(-1)
  if (last) return { after_id: last.id }
  const { since, after_id } = before
  return since === undefined ? { after_id: after_id ?? 0 } : { since, after_id }
}

function numberOf(flags: Flags, name: string): number | undefined {
  const given = flagText(flags[name])
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new AgentMailError('invalid_request', `--${name} must be a whole number, not "${given}"`)
}

/** Another connection, where one was lost: to a server, or to the database. */
export async function reconnected(flags: Flags): Promise<Connection> {
  return connect(new Config(flags), { isStaying: true })
}

/** Whoever reads sees nothing in a project that is misspelled, and is told why. */
export function tellUnknownProject({ unknownProject }: Connection): void {
  if (unknownProject !== undefined) printError(`warning: ${unknownProject}`)
}

/** Runs `work`, which reads, with a connection that is closed afterwards; again from its start, where its first question finds no server. */
export const connected = <T>(
  flags: Flags,
  work: (connection: Connection, config: Config) => Promise<T>,
): Promise<T> =>
  within(flags, async (connection, config) => {
    const answer = await work(connection, config)
    tellUnknownProject(connection)
    return answer
  })

async function within<T>(
  flags: Flags,
  work: (connection: Connection, config: Config) => Promise<T>,
): Promise<T> {
  const config = new Config(flags)
  const told = tellOldDatabase(config)
  try {
    return await withConnection(config, (connection) => work(connection, config))
  } finally {
    await told
  }
}

/**
 * The same, where there is a server or a database; else nothing is done, and none is made.
 * @param options.isQuiet for more than reading in one project: that nobody has used it is not told.
 */
export async function connectedIfThere<T>(
  flags: Flags,
  work: (connection: Connection) => Promise<T>,
  { isQuiet = false } = {},
): Promise<T | undefined> {
  const config = new Config(flags)
  const told = tellOldDatabase(config)
  try {
    return await withConnectionIfThere(config, async (connection) => {
      const answer = await work(connection)
      if (!isQuiet) tellUnknownProject(connection)
      return answer
    })
  } finally {
    await told
  }
}

/** Does it while the server is at work on what it was asked at the same time. */
export async function meanwhile<T>(work: () => Promise<T>): Promise<T> {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn() // it is connected
  await turn() // and asked
  return work()
}

/** Once, and not where somebody looks elsewhere on purpose. */
async function tellOldDatabase(config: Config): Promise<void> {
  const isElsewhere = (['db', 'project', 'server'] as const).some((name) => config.isFlag(name))
  if (isElsewhere || config.text('server') !== undefined) return
  if ((await meanwhile(() => oldDatabasePath(config))) === undefined) return
  const { findOldDatabaseOnce, wordsOf } = await import(
    '../connection/old-database/old-database.ts'
  )
  const found = await findOldDatabaseOnce(config)
  if (found) printError(wordsOf(found))
}

/** Looks again and again for what comes after the entries shown, until it is stopped or nobody reads them; where the server goes, it goes on with the next one or the database. */
export async function following(
  flags: Flags,
  look: (connection: Connection, from: Cursor, isFirst: boolean) => Promise<{ id: number }[]>,
): Promise<number> {
  let from = pageOf(flags)
  for (let hasLooked = false; ; ) {
    try {
      return await within(flags, async (connection) => {
        while (isRead()) {
          from = cursorAfter(await look(connection, from, !hasLooked), from)
          if (!hasLooked) tellUnknownProject(connection)
          hasLooked = true
        }
        return 0
      })
    } catch (error) {
      const isLost = AgentMailError.is(error, 'server_unreachable', 'storage')
      if (!isLost || !hasLooked) throw error
      log(`${error.message}; trying again`)
      await sleep(reconnectMs)
    }
  }
}

/** Runs `work` as the agent that the flags name, or that this process is. */
export const acting = <T>(
  flags: Flags,
  work: (connection: Connection, agent: AgentName) => Promise<T>,
): Promise<T> =>
  within(flags, async (connection, config) => {
    const own = flagText(flags.as) ?? (await ownAgent(config, connection))?.agent_id
    const who = { name: own ?? (await ownName(config)), role: flagText(flags.role) }
    return actingAs(connection, who, (agent) => work(connection, agent))
  })

/** The name or id that somebody acts under. */
export const whoActs = async (flags: Flags, config: Config): Promise<string> =>
  flagText(flags.as) ?? ownName(config)

/** The name of an agent that is called by its name or id. */
export async function agentNameOf(connection: Connection, given: string): Promise<string> {
  const agents = await listOf(connection.agents({ known: true, agent: given }))
  return agents.find(({ agent_id }) => agent_id === given)?.name ?? given
}

export const byRegistration = (one: AgentEntry, other: AgentEntry): number =>
  one.registered_at < other.registered_at ? -1 : 1

async function ownName(config: Config): Promise<string> {
  if (hasName(config)) return (await whoAmI(config)).name
  throw new AgentMailError(
    'not_in_tmux',
    'who are you?',
    'Say it with --as <name> or AGENTMAIL_AGENT=<name>; in tmux, with agentmail name <name>.',
  )
}
