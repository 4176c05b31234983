/** The port for mail that agents are told of as well, though it is in no mailbox. */

/** The newest that waits for a name. Ids are numbers, and grow. */
export interface Elsewhere {
  id: number
  /** Whether its reader was told of it, by whomever; when and how, where that is known. */
  isTold: boolean
  /** Unix time in milliseconds. */
  toldAt?: number
  by?: string
}

export interface OtherMail {
  /** Looks for mail until it is closed; never throws. */
  run(on: { news(): void; trouble(reason: string): void }): Promise<void>
  /** From now on it looks for mail to these names. */
  watch(names: string[]): void
  /** What was found for a name; it may have been read since. */
  known(name: string): Elsewhere | undefined
  /** What waits for a name now; nothing where that cannot be found out soon. */
  look(name: string): Promise<Elsewhere | undefined>
  /** The agent was told of its mail, up to this one. @param by nothing where that is not known any more. */
  told(name: string, id: number, by?: 'keys' | 'line'): Promise<void>
  close(): Promise<void>
}
