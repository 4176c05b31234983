/** Namesakes: a recipient of the mailbox, and a registered agent of its name that stands elsewhere or nobody knows where. */
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { Spot } from '../mailbox/recipient-entries.ts'
import { placeAt } from './place.ts'

/** Whether a registered agent is not known to be at one of these spots of this machine. */
export const isElsewhere = (
  { place }: Pick<AgentStanding, 'place'>,
  spots: Spot[],
  machine: string,
): boolean => !spots.some((spot) => placeAt(machine, spot) === place)

/** The names that a recipient and a registered agent elsewhere have. */
export function namesakes(
  recipients: { name: string; spots: Spot[] }[],
  agents: AgentStanding[],
  machine: string,
): string[] {
  const hasOther = ({ name, spots }: (typeof recipients)[number]) =>
    agents.some((agent) => agent.name === name && isElsewhere(agent, spots, machine))
  return recipients.filter(hasOther).map(({ name }) => name)
}

/** In words. */
export const namesakeOf = (name: string): string =>
  `a registered agent is called ${JSON.stringify(name)} too, and reads the channel @${name}`
