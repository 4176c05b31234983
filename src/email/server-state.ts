/** Whether the servers of a mail account let us in, to read by IMAP and to send by SMTP; no mail is sent. */
import { serverPlace } from '../providers/mail-server.ts'
import { senderOf } from '../providers/own-sender.ts'
import type { SmtpServer } from '../providers/smtp/url.ts'
import {
  checkNetwork,
  type Failed,
  failureOf,
  type ServiceQuestion,
  type TriedService,
} from './service-answer.ts'

export async function imapState(asking: ServiceQuestion): Promise<TriedService> {
  const { imapAccount } = await import('../providers/imap/account.ts')
  const { tryImap } = await import('../providers/imap/client.ts')
  const account = imapAccount(asking.config)
  const { user } = account.login
  const [reads, { failed: sends, ...sending }] = await Promise.all([
    failureOf(asking, () => tryImap(account, asking.limitMs)),
    sendingState(asking, account.smtp, account.address),
  ])
  const reads_at = serverPlace(account.imap)
  const known = { ...sending, reads_at, reads: !reads, sends: !sends }
  const { sends_at, address } = sending
  if (!reads && !sends)
    return { ...known, state: 'ok', says: `the login works: ${address ?? user}` }
  const says = [
    ...(reads ? [`reading from ${reads_at}: ${reads.says}`] : []),
    ...(sends ? [`sending${sends_at === null ? '' : ` by ${sends_at}`}: ${sends.says}`] : []),
  ]
  return { ...known, state: 'failed', says: says.join('; '), next: nextOf(reads, sends) }
}

export async function smtpState(asking: ServiceQuestion): Promise<TriedService> {
  const { config } = asking
  const { smtpServer } = await import('../providers/smtp/url.ts')
  const server = smtpServer(config, config.text('mailToken')?.trim())
  const { failed, ...sending } = await sendingState(asking, () => server, server.login?.user)
  const at = serverPlace(server)
  if (failed) return { ...sending, sends: false, ...failed, says: `${at}: ${failed.says}` }
  const says = server.login ? `${at} takes the login` : `${at} answers`
  return { ...sending, sends: true, state: 'ok', says }
}

interface Sending {
  /** Whose mail it is, where somebody is named. */
  address: string | null
  sends_at: string | null
  failed: Failed | undefined
}

/** @param user who sends, where the settings name nobody. */
async function sendingState(
  asking: ServiceQuestion,
  smtp: () => SmtpServer,
  user: string | undefined,
): Promise<Sending> {
  const { tryServer } = await import('../providers/smtp/delivery.ts')
  let address: string | null = null
  let sends_at: string | null = null
  const nobody = await failureOf(asking, () => {
    address = senderOf(asking.config, user).address
  })
  const failed = await failureOf(asking, async () => {
    const server = smtp()
    sends_at = serverPlace(server)
    await tryServer(server, asking.limitMs)
  })
  return { address, sends_at, failed: failed ?? nobody }
}

/** The same step once. */
function nextOf(reads: Failed | undefined, sends: Failed | undefined): string {
  const [read, send] = [reads?.next ?? '', sends?.next ?? '']
  const both = read.startsWith(send) ? read : `${read} ${send}`
  return both.trim() || checkNetwork
}
