/** Finds the project in which an agent can be written to: its own, that of this folder, or the only one that has somebody of the name. */
import { personOf } from '../../addresses/person.ts'
import type { Config } from '../../config.ts'
import { connect } from '../../connection/connect.ts'
import type { Connection } from '../../connection/connection.ts'
import { RegisteredAgents } from '../../connection/registered.ts'
import type { Asker } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { settings } from '../../settings.ts'

/** Where the ids are kept that the coordination knows the sender by. */
export interface KnownIds {
  agentIdIn(project: string): string | undefined
  knownAs(agent_id: string, project: string): void
}

const mostProjects = 100

/** The way to its project; nothing where nobody has the name, or several have it and none is meant. */
export async function reach(
  config: Config,
  identity: KnownIds,
  { agent, project }: Asker,
): Promise<Connection | undefined> {
  const own = await connectIn(config, project)
  let isUsed = false
  try {
    isUsed = await isThere(own, { ...{ config, identity }, name: agent, project })
    if (isUsed) return own
    const others = project === undefined ? (await own.projects()).projects : []
    const found: string[] = []
    for (const { name } of others.slice(0, mostProjects)) {
      if (name !== own.project && (await hasOne({ config, identity }, agent, name)))
        found.push(name)
    }
    const [only, ...more] = found
    return only !== undefined && more.length === 0 ? connectIn(config, only) : undefined
  } finally {
    if (!isUsed) await own.close()
  }
}

interface Around {
  config: Config
  identity: KnownIds
}

async function hasOne(around: Around, name: string, project: string): Promise<boolean> {
  const connection = await connectIn(around.config, project)
  try {
    return await isThere(connection, { ...around, name, project })
  } finally {
    await connection.close()
  }
}

/** Whether an agent of this name, other than this one, can be reached. Asked first: what nobody gets is not stored. */
async function isThere(
  connection: Connection,
  { config, identity, name, project }: Around & { name: string; project: string | undefined },
): Promise<boolean> {
  if (name === personOf(config)) return true
  for await (const agent of connection.agents({ agent: name })) {
    if (agent.name === name && agent.agent_id !== identity.agentIdIn(connection.project))
      return true
  }
  if (project === undefined) return isInOffice(config, name)
  const inProject = new RegisteredAgents(configIn(config, project))
  return (await inProject.hasMailbox(name)) || (await isInOwn(config, name, project))
}

/** Where the project that is meant is that of this folder after all. */
async function isInOwn(config: Config, name: string, project: string): Promise<boolean> {
  if (!(await isInOffice(config, name))) return false
  const here = await connect(config)
  try {
    return here.project === project
  } finally {
    await here.close()
  }
}

async function isInOffice(config: Config, name: string): Promise<boolean> {
  const office = await PostOffice.locate(config).catch((error) => {
    if (AgentMailError.is(error, 'not_in_repository')) return undefined
    throw error
  })
  return office?.recipientNames().includes(name) ?? false
}

const connectIn = (config: Config, project: string | undefined): Promise<Connection> =>
  connect(project === undefined ? config : configIn(config, project))

const configIn = (config: Config, project: string): Config =>
  config.with({ [settings.project.env]: project })
