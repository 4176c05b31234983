/** Which agent a mail that came in answers: by the ledger and by the mailbox itself, whatever the mail or its note says. */
import { accountScope } from '../../email/outgoing/check-mail.ts'
import type { Asker } from '../../email/outgoing/mail-request.ts'
import type { ReplyAddress } from '../../email/outgoing/reply-address.ts'
import { askerOf, mayBeAnswered } from '../../email/outgoing/reply-keys.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../../errors.ts'
import type { Provider } from '../../providers/provider.ts'

interface AnswersOptions {
  ledger: () => Promise<SendLedger>
  /** The mailbox that mail is taken in from. */
  provider: () => Promise<Provider>
  replyAddress: ReplyAddress | undefined
}

export class Answers {
  readonly #options: AnswersOptions

  constructor(options: AnswersOptions) {
    this.#options = options
  }

  /** Whether any agent has sent a mail: where none has, no mail needs to be looked at. A ledger that is out of reach keeps no mail out. */
  async arePossible(): Promise<boolean> {
    try {
      return await mayBeAnswered((await this.#options.ledger()).reader)
    } catch (error) {
      if (AgentMailError.is(error)) return false
      throw error
    }
  }

  /** Nothing where it answers none. */
  async askerOf(id: string): Promise<Asker | undefined> {
    const { ledger, provider, replyAddress } = this.#options
    const mailbox = await provider()
    if (!mailbox.inbox) return undefined
    const original = await mailbox.inbox.original(id)
    const tags = replyAddress?.tagsIn(original.recipients ?? '') ?? []
    const { reader } = await ledger()
    return askerOf(reader, { id, scope: accountScope(mailbox), original, tags })
  }
}
