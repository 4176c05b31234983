/** The agents of coordination for whoever writes by the mailbox; nothing is made for a question. */
import type { PostAnswer } from '../addresses/address-book.ts'
import { type MailTaker, mailTakers, noSuchTaker } from '../addresses/mail-takers.ts'
import { personOf, personRole } from '../addresses/person.ts'
import type { Registered, Sender } from '../addresses/send.ts'
import type { Config } from '../config.ts'
import type { AgentEntry } from '../coordination/agents.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { Letter } from '../coordination/messages.ts'
import { AgentMailError } from '../errors.ts'
import { knownOffices } from '../mailbox/known-offices.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { settings } from '../settings.ts'
import { atLatest } from '../system/time-limit.ts'
import { actingAs, ask, listOf } from './acting.ts'
import { connect, connectIfThere } from './connect.ts'
import type { Connection } from './connection.ts'
import { foreseenName, type Here, hereAt, hereOf, knownKey, machineOf } from './here.ts'

export class RegisteredAgents implements Registered {
  readonly #config: Config

  constructor(config: Config) {
    this.#config = config
  }

  async names(only?: string): Promise<string[]> {
    const names = await this.#ask(async (connection) => {
      const found: string[] = []
      const request = only === undefined ? {} : { agent: only }
      for await (const { name } of connection.agents(request)) found.push(name)
      return found
    })
    // The person can be written to always, and is in no list.
    const isTold = (name: string) =>
      only === undefined ? name !== personOf(this.#config) : name === only
    return (names ?? []).filter(isTold)
  }

  get machine(): string {
    return machineOf(this.#config)
  }

  async standings(name?: string): Promise<AgentStanding[]> {
    const request = name === undefined ? {} : { agent: name }
    const agents = await this.#ask((connection) => listOf(connection.standings(request)), {
      isQuiet: true,
    })
    return (agents ?? []).filter((agent) => name === undefined || agent.name === name)
  }

  silence(name: string): Promise<string | undefined> {
    return this.#ask(async (connection) => (await connection.silence(name)).warning)
  }

  async hasMailbox(name: string): Promise<boolean> {
    const config = this.#config
    const own = await PostOffice.locate(config).catch(() => undefined)
    const others = knownOffices(config).filter(
      ({ dir }) => dir !== own?.dir && takesMailFor(new PostOffice(dir, config), name),
    )
    if (others.length === 0) return false
    const here = await hereOf(config)
    for (const { folder } of others) {
      if (await isOneProject(config, here, await hereAt(config, folder))) return true
    }
    return false
  }

  async post(from: Sender, letter: Letter): Promise<PostAnswer> {
    const connection = await connect(this.#config)
    try {
      const role = from.name === personOf(this.#config) ? personRole : 'agent'
      return await actingAs(connection, { ...from, role }, ({ agent_id }) =>
        ask(connection, 'send_message', { agent_id, ...letter }),
      )
    } finally {
      await connection.close()
    }
  }

  async #ask<T>(
    work: (connection: Connection) => Promise<T>,
    options: { isQuiet?: boolean } = {},
  ): Promise<T | undefined> {
    const connection = await connectIfThere(this.#config, options)
    try {
      return connection && (await work(connection))
    } finally {
      await connection?.close()
    }
  }
}

function takesMailFor(office: PostOffice, name: string): boolean {
  try {
    return office.recipientNames().includes(name) && office.isUsable
  } catch (error) {
    if (AgentMailError.is(error)) return false // the post office of another: it is not mended from here
    throw error
  }
}

/** As whoever delivers it will find: by what is known of both, else by the root or origin, unless somebody says which project this is. */
async function isOneProject(config: Config, here: Here, there: Here): Promise<boolean> {
  const isLike =
    'project' in here ||
    (!('project' in there) &&
      (here.root === there.root || (here.origin !== undefined && here.origin === there.origin)))
  if (isLike) return (await foreseenName(config, here)) === (await foreseenName(config, there))
  const key = await knownKey(config, here)
  return key !== undefined && key === (await knownKey(config, there))
}

/** More than anybody chooses from. */
const mostTakers = 500
const mostProjects = 50
const longestMs = 10_000

/** Who can be given a mail from here: asked of the running server or of the database, and of the post office of this repository. Nothing is made for the question. Throws where it is not answered in time. */
export const mailTakersHere = (config: Config): Promise<MailTaker[]> =>
  atLatest(longestMs, askedHere(config), () => {
    throw notInTime()
  })

/** Refuses a name that nobody has. Any may be right where the book cannot be read, is empty, or is too long to be read whole. */
export async function checkMailTaker(config: Config, name: string): Promise<void> {
  const takers = await mailTakersHere(config).catch((error) => {
    if (AgentMailError.is(error)) return []
    throw error
  })
  if (takers.length === 0 || takers.length >= mostTakers) return
  if (takers.some((taker) => taker.name === name)) return
  // One of another repository, who is in no list from here.
  const offices = knownOffices(config).map(({ dir }) => new PostOffice(dir, config))
  if (offices.some((office) => takesMailFor(office, name))) return
  throw noSuchTaker(name, takers)
}

async function askedHere(config: Config): Promise<MailTaker[]> {
  const connection = await connectIfThere(config, { isQuiet: true })
  try {
    const place = {
      agents: async () => (connection ? listOf(connection.agents()) : []),
      mailboxes: () => mailboxesHere(config),
    }
    const own = await mailTakers([place], mostTakers)
    const elsewhere = connection ? await onlyElsewhere(config, connection) : []
    const isNew = ({ name }: MailTaker) => !own.some((taker) => taker.name === name)
    return [...own, ...elsewhere.filter(isNew)].slice(0, mostTakers)
  } finally {
    await connection?.close()
  }
}

/** Agents of other projects, as far as their name says which is meant. */
async function onlyElsewhere(config: Config, own: Connection): Promise<MailTaker[]> {
  const { projects } = await own.projects()
  const others = projects.filter(({ name, agents }) => name !== own.project && agents > 0)
  const found = new Map<string, MailTaker[]>()
  for (const { name } of others.slice(0, mostProjects)) {
    const agents = await agentsIn(config.with({ [settings.project.env]: name }))
    const takers = await mailTakers(
      [{ agents: async () => agents, mailboxes: async () => [] }],
      mostTakers,
    )
    for (const taker of takers) found.set(taker.name, [...(found.get(taker.name) ?? []), taker])
  }
  return [...found.values()].flatMap((takers) => (takers.length === 1 ? takers : []))
}

async function agentsIn(config: Config): Promise<AgentEntry[]> {
  const connection = await connectIfThere(config, { isQuiet: true })
  try {
    return connection ? await listOf(connection.agents()) : []
  } finally {
    await connection?.close()
  }
}

async function mailboxesHere(config: Config): Promise<string[]> {
  const office = await PostOffice.locate(config).catch((error) => {
    if (AgentMailError.is(error, 'not_in_repository')) return undefined
    throw error
  })
  return office?.recipientNames() ?? []
}

const notInTime = () =>
  new AgentMailError(
    'server_unreachable',
    `the address book did not answer within ${longestMs / 1000} seconds`,
    'See agentmail doctor.',
  )
