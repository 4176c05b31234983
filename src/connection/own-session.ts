/** The session of a coding client that has started this process, and who it is. */
import type { Config } from '../config.ts'
import type { AgentName } from '../coordination/agents.ts'
import type { SessionSearch } from '../coordination/sessions/sessions.ts'
import { ownPane } from '../mailbox/tmux.ts'
import { sleep } from '../system/clock.ts'
import { connectIfThere } from './connect.ts'
import type { Connection } from './connection.ts'
import { ownPlace } from './here.ts'
import { mayHaveAgents } from './may-have-agents.ts'
import { isInSession, sessionSettings } from './own-name.ts'

/** As far as the environment tells, with the place where this process stands. */
export function ownSession(config: Config): SessionSearch {
  for (const [client, setting] of Object.entries(sessionSettings)) {
    const session = config.text(setting)
    if (session !== undefined) return { client, session, place: ownPlace(config) }
  }
  return { place: ownPlace(config) }
}

/** The agent of the session around this process. AGENTMAIL_AGENT says on purpose who one is: then nobody is asked. */
export async function ownAgent(
  config: Config,
  connection: Connection,
): Promise<AgentName | undefined> {
  return config.text('agent') === undefined ? sessionAround(config, connection) : undefined
}

/** The same, whatever name is said. */
export async function sessionAround(
  config: Config,
  connection: Connection,
): Promise<AgentName | undefined> {
  if (!mayBeInSession(config)) return undefined
  return connection.sessionAgent(ownSession(config)).catch(() => undefined) // as where nobody knows of it
}

export const mayBeInSession = (config: Config): boolean =>
  isInSession(config) || ownPane(config) !== undefined

const againMs = 250

/** The same for one who is about to read a mailbox; nothing is made for the question. */
export async function agentAround(config: Config, waitMs: number): Promise<AgentName | undefined> {
  const until = performance.now() + waitMs
  for (;;) {
    const agent = await lookAround(config).catch(() => undefined)
    if (agent || performance.now() >= until) return agent
    await sleep(againMs)
  }
}

async function lookAround(config: Config): Promise<AgentName | undefined> {
  if (!mayHaveAgents(config)) return undefined
  const connection = await connectIfThere(config, { isQuiet: true })
  try {
    return await connection?.sessionAgent(ownSession(config), true)
  } finally {
    await connection?.close()
  }
}
