/** How an account is entered: by the login that is kept now, and not again and again by one that was refused. */
import type { ImapFlow } from 'imapflow'
import { AgentMailError } from '../../errors.ts'
import { elapsedMs } from '../../system/clock.ts'
import { backoffMs } from '../../system/retry.ts'
import { loginMs } from '../mail-server.ts'
import type { ImapAccount } from './account.ts'
import { clientOf, loggedIn } from './client.ts'

/** The first pause after a refusal. Services lock an account, or a whole network out, that is tried without end. */
const firstPauseMs = 10_000

interface Refusal {
  login: string
  error: AgentMailError
  times: number
  untilMs: number
}

export class ImapDoor {
  /** Whose account it is. */
  readonly name: string
  readonly #read: () => ImapAccount
  #refusal: Refusal | undefined

  /** @param read gives the account as the settings and what is kept say now. */
  constructor(read: () => ImapAccount) {
    this.#read = read
    this.name = nameOf(read())
  }

  /** As it is now; whoever has begun with one account goes on with no other. */
  account(): ImapAccount {
    const account = this.#read()
    if (nameOf(account) === this.name) return account
    throw new AgentMailError(
      'auth_required',
      `the login that is kept now is not that of ${this.name}, which this process uses`,
      'Start it again to use the new one.',
    )
  }

  /** @param onBegin gets the connection before it is one, so that it can be given up. */
  async enter(onBegin: (client: ImapFlow) => void): Promise<ImapFlow> {
    const account = this.account()
    const login = JSON.stringify([account.imap, account.login])
    const known = this.#refusal?.login === login ? this.#refusal : undefined
    if (known && elapsedMs() < known.untilMs) throw known.error
    const client = clientOf(account, loginMs)
    onBegin(client)
    try {
      await loggedIn(client, account, loginMs)
    } catch (error) {
      if (AgentMailError.is(error, 'auth_required')) {
        const times = (known?.times ?? 0) + 1
        this.#refusal = {
          login,
          error,
          times,
          untilMs: elapsedMs() + backoffMs(times, firstPauseMs),
        }
      }
      throw error
    }
    this.#refusal = undefined
    return client
  }
}

const nameOf = ({ login, imap }: ImapAccount): string => `${login.user}@${imap.host}`
