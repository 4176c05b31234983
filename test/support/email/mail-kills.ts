/** Kills processes that send a mail, at a moment of each step, and lets others send the same mail then. */
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import type { LineClient } from '../mcp/line-client.ts'
import { type FakeGmail, sendPath } from '../providers/fake-gmail.ts'
import { type Mail, type MailHome, type Outcome, sendByTool } from './mail-home.ts'

type Kill = () => void

export interface Moment {
  name: string
  /** Arranges that the victim is killed then. */
  prepare(kill: Kill): void
}

/** Kills when something new stands in the folder, or something more. */
function whenWritten(folder: string, kill: Kill): void {
  const watcher = watch(folder, () => {
    watcher.close()
    kill()
  })
}

export const moments = (home: MailHome, fake: FakeGmail): Record<string, Moment> =>
  Object.fromEntries(
    Object.entries<Moment['prepare']>({
      'at its start': (kill) => setImmediate(kill),
      'when it has the ledger': (kill) => whenWritten(join(home.state, 'senders'), kill),
      'when the audit is written': (kill) => whenWritten(join(home.vault, 'Logs'), kill),
      'when its request arrives, and the mail is lost': (kill) => {
        fake.fail({ path: sendPath, fault: 'reset', times: 1 })
        fake.onRequest = ({ path }) => sendPath.test(path) && kill()
      },
      'when its request arrives, and the mail is taken': (kill) => {
        fake.onRequest = ({ path }) => sendPath.test(path) && kill()
      },
      'when the mail is taken': (kill) => {
        fake.onSend = kill
      },
      'when it is answered': (kill) => {
        fake.onReply = (path) => sendPath.test(path) && kill()
      },
    }).map(([name, prepare]) => [name, { name, prepare }]),
  )

export const afterMs = (ms: number): Moment => ({
  name: `after ${ms} ms`,
  prepare: (kill) => void setTimeout(kill, ms),
})

/** Whoever sends first. */
export type Victim = 'a command' | 'a server'

/** Sends, and is killed at the moment; the fake is healed then. */
export async function killed(
  home: MailHome,
  fake: FakeGmail,
  victim: Victim,
  mail: Mail,
  moment: Moment,
): Promise<void> {
  const server = victim === 'a server' ? await home.server() : undefined
  let child = server?.child
  moment.prepare(() => void child?.kill('SIGKILL')) // before it begins, or the moment could be missed
  if (server) sendByTool(server, mail).catch(() => {}) // it is killed before it can answer
  child ??= home.startSend(mail)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  fake.heal()
}

/** The same mail from so many processes at the same moment. */
export const sendAgain = (servers: LineClient[], mail: Mail): Promise<Outcome[]> =>
  Promise.all(servers.map((server) => sendByTool(server, mail)))
