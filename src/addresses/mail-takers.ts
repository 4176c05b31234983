/** Who can be given a mail: whoever is registered, and whoever has a mailbox, by their names. */
import type { AgentEntry } from '../coordination/agents.ts'
import { AgentMailError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'

export interface MailTaker {
  name: string
  /** Nothing of one that has but a mailbox. */
  role: string | undefined
}

/** A project, as far as names are looked for in it. */
export interface TakersPlace {
  /** @param only whoever has this name or id. */
  agents(only?: string): Promise<AgentEntry[]>
  mailboxes(): Promise<string[]>
}

/** Sorted by name; a guest comes for one thing, and reads nothing. */
export async function mailTakers(
  places: Iterable<TakersPlace>,
  most: number,
): Promise<MailTaker[]> {
  const takers = new Map<string, MailTaker>()
  for (const place of places) {
    for (const { name, role, is_guest } of await place.agents()) {
      if (!is_guest && !takers.has(name)) takers.set(name, { name, role })
    }
    for (const name of await place.mailboxes()) {
      if (!takers.has(name)) takers.set(name, { name, role: undefined })
    }
    if (takers.size >= most) break
  }
  const inOrder = (one: MailTaker, other: MailTaker) => (one.name < other.name ? -1 : 1)
  return [...takers.values()].sort(inOrder).slice(0, most)
}

/** The name as it is known; nothing where nobody has it. */
export async function mailTakerCalled(
  places: Iterable<TakersPlace>,
  given: string,
): Promise<string | undefined> {
  const name = takerName(given)
  for (const place of places) {
    const agents = await place.agents(name)
    if (agents.some((agent) => agent.name === name && !agent.is_guest)) return name
    if ((await place.mailboxes()).includes(name)) return name
  }
  return undefined
}

/** As it is written in a channel, or alone. */
export const takerName = (given: string): string => given.trim().replace(/^@/, '')

/** @example nobodyCalled('plannr', [{ name: 'planner' }]) // 'nobody is called "plannr". Did you mean planner?' */
export const nobodyCalled = (name: string, takers: readonly Pick<MailTaker, 'name'>[]): string =>
  `nobody is called ${JSON.stringify(name)}${didYouMean(name, names(takers)) || '.'}`

export const noSuchTaker = (name: string, takers: readonly Pick<MailTaker, 'name'>[]) =>
  new AgentMailError(
    'invalid_request',
    nobodyCalled(name, takers),
    'Name an agent that is registered, or has a mailbox.',
  )

const names = (takers: readonly Pick<MailTaker, 'name'>[]): string[] =>
  takers.map(({ name }) => name)
