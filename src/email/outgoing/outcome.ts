/** What is certain about a mail, and what is not: before, while and after it is given to a service. */
import type { Config } from '../../config.ts'
import { AgentMailError, isNotSent, notSent, unclear } from '../../errors.ts'
import { tellPerson } from '../../notices/tell-person.ts'
import { log } from '../../system/log.ts'
import type { SendRecord } from './send-record.ts'

/** A provider that is told to end may still know that it had not begun to send. */
const lastWordMs = 500

/** Ends the work when the time of the service is up; unless it says otherwise, nobody knows then how it went. */
export async function inTime<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const tooLate = () =>
      reject(unclear(`the service did not answer within ${timeoutMs / 1000} seconds`))
    timer = setTimeout(() => {
      stop.abort()
      timer = setTimeout(tooLate, lastWordMs)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(stop.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

/** What cannot be recorded beforehand is not sent. */
export async function recorded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isNotSent(error)) throw error
    log(`the ledger of mails: ${error instanceof Error ? error.message : error}`)
    throw notSent(
      'send_failed',
      'nothing was sent, because the record of sent mail could not be written',
      'The log says why. Try again when that is mended.',
    )
  }
}

/** How it went is known to the caller, whatever the ledger can still be told. */
export async function settleIfPossible(settle: () => Promise<void>): Promise<void> {
  try {
    await settle()
  } catch (error) {
    log(
      `the ledger of mails could not be written: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** An account by IMAP files its copy after the server has answered, so Sent says nothing of a mail that broke off. */
export const whereToLook =
  'Look into the sent mail; of what goes out by IMAP or SMTP there is no copy when it breaks off, so ask a recipient'

export const outcomeUnknown = (
  id: string,
  reason: string,
  details: Readonly<Record<string, unknown>> = {},
) =>
  new AgentMailError(
    'send_failed',
    reason,
    `It is not known whether the mail was sent, and it is not sent again by itself. ${whereToLook}. Then say agentmail mail settle ${id} sent, or not-sent.`,
    { details: { ...details, outcome: 'unknown', id } },
  )

/** Whatever does not say that the outcome is unknown went wrong before anything was sent. */
export function withOutcome(error: unknown): unknown {
  if (!AgentMailError.is(error) || error.details?.outcome !== undefined) return error
  return notSent(error.code, error.message, error.next, { ...error.details })
}

/** Of a mail of which nobody knows whether it has left. Each time that it was given to a service, once. */
export const tellOfUnknown = (config: Config, record: SendRecord): Promise<void> => {
  const { scope, key_hash, audited_at, subject } = record
  return tellPerson(config, {
    kind: 'unknown_send',
    subject,
    key: JSON.stringify(['unknown', scope, key_hash, audited_at]),
  })
}
