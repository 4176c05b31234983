/** Opens the way out for mail, as the settings say. */
import type { Config } from '../config.ts'
import { Outgoing } from '../email/outgoing.ts'
import type { Provider } from '../email/providers/provider.ts'

export async function openOutgoing(config: Config, provider: Provider): Promise<Outgoing> {
  return new Outgoing({ provider, timeoutMs: config.seconds('sendTimeoutSeconds') * 1000 })
}
