/** The shape of a check: what it looks at, and what it says of that. */
import type { Config } from '../../config.ts'
import type { DatabaseCheck } from '../../coordination/upkeep/check.ts'
import type { AgentMailError } from '../../errors.ts'
import type { PostOffice } from '../../mailbox/post-office.ts'
import type { TmuxView } from '../../mailbox/tmux.ts'
import type { RunningServer } from '../../server/background.ts'
import type { Database } from '../../store/database.ts'

/** `warn`: it works, and may not always. `off`: it is not there, and need not be. */
export type CheckState = 'ok' | 'warn' | 'problem' | 'off'

export interface Checked {
  /** What was looked at. */
  check: string
  state: CheckState
  says: string
  /** What to do about it. */
  advice?: string
  fix?: Fix
}

/** Only what loses nothing, whoever is at work meanwhile. */
export interface Fix {
  /** What has been done, in words. */
  done: string
  run(): void
}

export interface Check {
  name: string
  /** Of one that has several things to wait for. */
  limitMs?: number
  look(patient: Patient): Checked[] | Promise<Checked[]>
}

/** What several checks look at, each looked for once. */
export interface Patient {
  config: Config
  /** None outside a repository. */
  office: PostOffice | undefined
  /** Why there is none. */
  noOffice: AgentMailError | undefined
  /** What tmux tells, or nothing when it cannot be asked. */
  view: TmuxView | undefined
  /** Nothing where a server elsewhere is named; throws where the settings name none that there can be. */
  database(): Database | undefined
  databaseCheck(): Promise<DatabaseCheck>
  /** Those of the database that run on this machine. */
  servers(): Promise<RunningServer[]>
}

export const ok = (check: string, says: string): Checked => ({ check, state: 'ok', says })

export const off = (check: string, says: string, advice?: string): Checked => ({
  ...{ check, state: 'off', says },
  ...(advice !== undefined && { advice }),
})

export const warn = (check: string, says: string, advice: string, fix?: Fix): Checked => ({
  ...{ check, state: 'warn', says, advice },
  ...(fix && { fix }),
})

export const problem = (check: string, says: string, advice: string, fix?: Fix): Checked => ({
  ...warn(check, says, advice, fix),
  state: 'problem',
})

/** Something that was refused, as a problem. */
export const refused = (check: string, { message, next = '' }: AgentMailError): Checked =>
  problem(check, message, next)
