/** The one way out: every mail, whatever tool or provider, is checked, recorded, audited and sent here. */
import type { MailRequest } from './mail-request.ts'
import type { Provider, Receipt } from './providers/provider.ts'

export type Sent = { status: 'sent'; receipt: Receipt }
export type Drafted = { status: 'pending_approval'; draft: string }

export class Outgoing {
  readonly #provider: Provider

  constructor(options: { provider: Provider }) {
    this.#provider = options.provider
  }

  async send(request: MailRequest): Promise<Sent | Drafted> {
    throw new Error(`not yet: ${this.#provider.name} ${request.to}`)
  }
}
