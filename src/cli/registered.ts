/** The agents of coordination, loaded when they are asked for: to write to a mailbox needs none of it. */
import type { Registered } from '../addresses/send.ts'
import type { Config } from '../config.ts'

export async function registeredFor(config: Config): Promise<Registered> {
  const { RegisteredAgents } = await import('../connection/registered.ts')
  return new RegisteredAgents(config)
}
