/** A mail is proposed for somebody who exists, or for nobody: then a person chooses, and is told why. */
import { type MailTaker, nobodyCalled, takerName } from '../../addresses/mail-takers.ts'
import { cleanLine, shortened } from '../../email/visible-text/clean-text.ts'
import { AgentMailError } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'
import { inOneLine } from '../events.ts'
import type { Decision } from './decision.ts'

type Delegation = Extract<Decision, { decision: 'delegate' }>

/** One look at the address book is enough for the mails of a moment. */
const freshMs = 10_000
const longestName = 100

export class Delegates {
  readonly #read: () => Promise<MailTaker[]>
  readonly #clock: Clock
  #known: { takers: MailTaker[]; atMs: number } | undefined

  /** @param read gives who can be given a mail. */
  constructor(read: () => Promise<MailTaker[]>, clock: Clock) {
    this.#read = read
    this.#clock = clock
  }

  /** Throws where the address book cannot be read. */
  async takers(): Promise<MailTaker[]> {
    const age = this.#clock.now() - (this.#known?.atMs ?? Number.NEGATIVE_INFINITY)
    if (this.#known && age >= 0 && age < freshMs) return this.#known.takers
    const takers = await this.#read()
    this.#known = { takers, atMs: this.#clock.now() }
    return takers
  }

  /** As the name is known; without one, and with the reason, where nobody has it. */
  async checked({ delegate_to, ...rest }: Delegation): Promise<Delegation> {
    if (delegate_to === undefined) return unnamed(rest, 'it names nobody')
    const name = takerName(delegate_to)
    const isCalled = (taker: MailTaker) => taker.name === name
    try {
      // Somebody may have come since they were last read.
      if (!this.#known?.takers.some(isCalled)) this.#known = undefined
      const takers = await this.takers()
      if (takers.some(isCalled)) return { ...rest, delegate_to: name }
      return unnamed(rest, nobodyCalled(shown(name), takers))
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const why = `who is called ${JSON.stringify(shown(name))} could not be found out: ${inOneLine(error)}`
      return unnamed(rest, why)
    }
  }
}

const shown = (name: string): string => shortened(cleanLine(name), longestName)

const unnamed = ({ decision, reason }: Omit<Delegation, 'delegate_to'>, why: string) => ({
  decision,
  reason: `${reason} (Choose who is given it: ${why.replace(/\.$/, '')})`,
  delegate_to: undefined,
})
