/** What the commands that write to somebody share: who can be reached beside the mailboxes, and what is said of what was sent. */
import { personOf } from '../addresses/person.ts'
import type { Letterbox, Registered, SentTo } from '../addresses/send.ts'
import type { Config } from '../config.ts'
import { mayHaveAgents } from '../connection/may-have-agents.ts'
import { print, printError, printJson } from './output.ts'

/** Loaded when they are asked for: to write to a mailbox needs none of it. */
export async function registeredFor(config: Config): Promise<Registered> {
  const { RegisteredAgents } = await import('../connection/registered.ts')
  return new RegisteredAgents(config)
}

export const othersFor = (config: Config): Omit<Letterbox, 'member'> => ({
  hasRegistered: () => mayHaveAgents(config),
  async quickLook(name) {
    const { quickLook } = await import('../connection/quick-look.ts')
    return quickLook(config, name)
  },
  registered: () => registeredFor(config),
  person: personOf(config),
})

/** What may take a moment is asked when the sender knows that it has gone. */
export async function printSent({ namesake, ...sent }: SentTo, json: boolean): Promise<void> {
  if (json) printJson(sent)
  else print(`Message #${sent.message_id} sent`)
  if (sent.warning !== undefined) printError(`warning: ${sent.warning}`)
  const other = await namesake?.()
  if (other !== undefined) printError(`warning: ${other}`)
}
