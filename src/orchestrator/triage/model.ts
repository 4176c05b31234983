/** Decides by asking a language model. What it answers is a proposal that has to fit. */
import type { MailTaker } from '../../addresses/mail-takers.ts'
import { AgentMailError } from '../../errors.ts'
import { isSecret, redacted } from '../../system/redact.ts'
import { type Decision, doesNotFit, type TriageMail, type Triager } from './decision.ts'
import { decisionIn } from './parse-decision.ts'
import { type Prompt, promptFor } from './prompt.ts'

/** Gives what the model wrote. Throws `bad_answer` or `model_unavailable`. */
export type Ask = (prompt: Prompt, ending?: AbortSignal) => Promise<string>

export class Model implements Triager {
  readonly name: string
  readonly #ask: Ask
  readonly #apiKey: string
  readonly #takers: () => Promise<MailTaker[] | undefined>

  /**
   * @param takers who can be given a mail; nothing where that is not known.
   * @example new Model('anthropic:claude-x', ask, apiKey)
   */
  constructor(
    name: string,
    ask: Ask,
    apiKey: string,
    takers: () => Promise<MailTaker[] | undefined> = async () => undefined,
  ) {
    this.name = name
    this.#ask = ask
    this.#apiKey = apiKey
    this.#takers = takers
  }

  async version(): Promise<string> {
    return this.name
  }

  async decide(mail: TriageMail, ending?: AbortSignal): Promise<Decision> {
    const prompt = promptFor(mail, await this.#takers())
    const decision = this.#read(await this.#ask(prompt, ending))
    // Looked for in what was made of the answer: in the answer itself it may be in disguise.
    if (
      isSecret(this.#apiKey) &&
      Object.values(decision).some((text) => text?.includes(this.#apiKey))
    ) {
      throw doesNotFit('it repeats the key of the service')
    }
    return decision
  }

  /** What does not fit goes with the error: for the log, where a person sees what the model does. */
  #read(answer: string): Decision {
    try {
      return decisionIn(answer)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const details = { answer: redacted(answer, [this.#apiKey]) }
      throw new AgentMailError(error.code, error.message, error.next, { details })
    }
  }
}
