/** Calls tools as somebody of a name: as the agent of it that is registered, else as a guest that leaves afterwards. */
import type { AddressBook } from '../addresses/address-book.ts'
import { personRole } from '../addresses/person.ts'
import type { AgentEntry, AgentName } from '../coordination/agents.ts'
import type { Project } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { untilDone } from '../system/retry.ts'
import { unnameable } from '../system/text.ts'
import type { Connection } from './connection.ts'

/** What each tool answers, by its name. */
interface Answers {
  send_message: Result<AddressBook['post']>
  read_messages: Result<Project['unread']['read']>
  claim_files: Result<Project['claims']['claim']>
  release_files: Result<Project['claims']['release']>
  get_file_claims: Result<Project['claims']['get']>
  announce_change: Result<Project['changes']['announce']>
  get_changes: Result<Project['changes']['get']>
}
type Result<Work extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<Work>>

/** Calls a tool; its error is thrown in its own words. */
export async function ask<Name extends keyof Answers>(
  connection: Connection,
  tool: Name,
  args: object,
): Promise<Answers[Name]> {
  const { content, structuredContent, isError } = await connection.call(tool, args)
  // A tool gives what its output schema says, which is the type of the function behind it.
  if (!isError) return structuredContent as Answers[Name]
  const [message = '', ...next] = (content[0]?.text ?? '').split('\n')
  throw new AgentMailError('invalid_request', message, next.join('\n') || undefined)
}

/** What comes one by one, where there is not much of it. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

export interface Acting {
  /** Or an id. */
  name: string
  /** Of one who is not registered yet. */
  role: string | undefined
  /** Where several of that name live, whoever was heard of last; they are told apart without it. */
  isAnyOf?: boolean
}

/**
 * Runs `work` as the agent of this name: the one that is registered, else one that is registered
 * for it and leaves afterwards. Whoever holds files stays, for as long as there are signs of life.
 */
export async function actingAs<T>(
  connection: Connection,
  who: Acting,
  work: (agent: AgentName) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const agent = await identified(connection, who)
    const told = agent.isGuest ? connection.standHere(agent.agent_id) : undefined
    try {
      const done = await work(agent)
      await told
      return done
    } catch (error) {
      // Another guest of this name may have left with the id that both had, and a third come with it.
      const agents = await listOf(connection.agents({ agent: agent.agent_id }))
      const isAboutId = error instanceof Error && error.message.includes(agent.agent_id)
      const isThere = agents.some(isSame(agent)) && !isAboutId
      if (attempt === maxAttempts || isThere) throw error
    } finally {
      if (agent.isGuest) await connection.leave(agent.agent_id).catch(() => {}) // it will be swept
    }
  }
}

const maxAttempts = 10
const isSame = (agent: AgentName) => (other: AgentName) => other.agent_id === agent.agent_id

/** Guests of one name that come at the same moment are several for as long as they stay: they are waited for. */
async function identified(connection: Connection, who: Acting) {
  const tries = { tries: 8, firstMs: 20, longestMs: 500 }
  return untilDone(tries, () => identify(connection, who), isAmbiguous)
}

const isAmbiguous = (error: unknown) =>
  AgentMailError.is(error) && error.details?.isAmbiguous === true

/** The agent of this name or id that is registered; else one is, under the id that the name had last. */
async function identify(connection: Connection, { role, ...who }: Acting) {
  const known = await knownAs(connection, who)
  const name = known?.name ?? who.name
  if (known?.last_seen) return { agent_id: known.agent_id, name, isGuest: false }
  const { agent_id } = await connection.visit({
    name,
    role: role ?? roleOf(known) ?? personRole,
    agent_id: known?.agent_id,
  })
  return { agent_id, name, isGuest: true }
}

/** Whoever has this name or id, or had it last; refused where several live who have the name. */
export async function knownAs(
  connection: Connection,
  { name: given, isAnyOf }: Omit<Acting, 'role'>,
): Promise<AgentEntry | undefined> {
  const agents = await listOf(connection.agents({ known: true, agent: given }))
  const meant = agents.filter(({ agent_id }) => agent_id === given)
  const candidates = meant.length > 0 ? meant : agents.filter(({ name }) => name === given)
  const living = candidates.filter(({ last_seen, is_guest }) => last_seen !== null && !is_guest)
  if (living.length > 1 && !isAnyOf) throw ambiguous(given, living)
  return (living.length > 0 ? living : candidates).sort(latestFirst)[0]
}

/** One that nobody may have any more stays with whoever had it. */
const roleOf = (known: AgentEntry | undefined): string | undefined =>
  known && unnameable.test(known.role) ? undefined : known?.role

function ambiguous(name: string, agents: AgentEntry[]): AgentMailError {
  const ids = agents
    .sort(latestFirst)
    .map(({ agent_id, role }) => `  --as ${agent_id} (${role.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')})`)
  return new AgentMailError(
    'invalid_request',
    `${agents.length} living agents are called "${name}"`,
    `Say which one you are:\n${ids.join('\n')}`,
    { details: { isAmbiguous: true } },
  )
}

/** Who was heard of last; of those who are gone, who came last. */
function latestFirst(a: AgentEntry, b: AgentEntry): number {
  const key = (agent: AgentEntry) => `${agent.last_seen ?? ''} ${agent.registered_at}`
  return key(a) < key(b) ? 1 : -1
}
