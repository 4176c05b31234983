/** Everybody who is here: the windows and agents of the mailbox, and the registered agents. */
import { type DirectoryEntry, directory } from '../addresses/directory.ts'
import type { Config } from '../config.ts'
import { machineOf } from '../connection/here.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import { AgentMailError } from '../errors.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { type RecipientEntry, recipientEntries } from '../mailbox/recipient-entries.ts'
import { ownView } from '../mailbox/tmux.ts'
import { systemClock } from '../system/clock.ts'
import { printError } from './output.ts'

export const everybodyOf = (
  config: Config,
  agents: AgentStanding[],
  recipients: RecipientEntry[],
): DirectoryEntry[] =>
  directory({ recipients, agents, machine: machineOf(config), now: systemClock.now() })

/** Outside a repository there are none; a post office that cannot be used is told, and the registered are listed all the same. */
export async function recipientsHere(config: Config): Promise<RecipientEntry[]> {
  try {
    const office = await PostOffice.locate(config)
    office.check()
    return recipientEntries(office, await ownView(config))
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    if (error.code !== 'not_in_repository') printError(`warning: ${error.text}`)
    return []
  }
}
