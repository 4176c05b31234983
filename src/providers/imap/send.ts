/** Sends a mail by SMTP, then files it in the folder of sent mail, once. */
import { AgentMailError, notSent } from '../../errors.ts'
import { type ComposedMail, compose, keyHeader } from '../../mime/compose.ts'
import type { Address } from '../../mime/mail.ts'
import { headersOf, readHeaders } from '../../mime/mail-headers.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { ifSoon } from '../../system/time-limit.ts'
import type { OutgoingMail, Receipt, Trace } from '../provider.ts'
import { deliver } from '../smtp/delivery.ts'
import type { SmtpServer } from '../smtp/url.ts'
import type { ImapConnection } from './connection.ts'
import { folderFor, folderLabelled, mailFolders } from './folders.ts'
import { mailId, searchFor } from './id.ts'
import { copiesIn, headQuery, imapHead, type MailPlaces } from './places.ts'
import { threadOf } from './read.ts'
import type { ImapSession } from './session.ts'

const dayMs = 24 * 3_600_000
/** A receipt does not wait longer for the filing: without one in time nobody would know that the mail has left. */
const filingMs = 10_000

/** Those file what is sent through them by themselves. */
const filesItself = (session: ImapSession, { host }: SmtpServer): boolean =>
  session.isGmail || /(?:^|\.)(?:office365|outlook)\.com$/.test(host)

export class ImapSending {
  readonly #connection: ImapConnection
  readonly #places: MailPlaces
  readonly #smtp: () => SmtpServer
  readonly #from: () => Address
  readonly #timeout: number
  readonly #filings = new Set<Promise<boolean>>()

  constructor(
    connection: ImapConnection,
    places: MailPlaces,
    { smtp, from, timeout }: { smtp: () => SmtpServer; from: () => Address; timeout: number },
  ) {
    this.#connection = connection
    this.#places = places
    this.#smtp = smtp
    this.#from = from
    this.#timeout = timeout
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<Receipt> {
    const smtp = beforeSending(this.#smtp)
    const from = mail.from ?? beforeSending(this.#from)
    const composed = await compose({ ...mail, from })
    const to = [...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address)
    const delivery = { from: from.address, to: [...new Set(to)], raw: composed.raw }
    await deliver(smtp, delivery, { signal, timeout: this.#timeout })
    const block = readHeaders(composed.raw)
    const sentAt = headersOf(block).date ?? systemClock.now()
    const id = mailId(block, { arrived: sentAt, size: composed.raw.length })
    const filing = this.#file(id, smtp, composed)
    const isFiled = await ifSoon(filingMs, () => Promise.race([filing, fired(signal)]))
    return {
      message_id: id,
      thread_id: mail.original?.thread_id ?? threadOf({ id, block }),
      sent_at: rfc3339(sentAt),
      header_id: composed.message_id,
      ...(isFiled !== true && { remark: 'it was sent, but not filed among the sent mail' }),
    }
  }

  /** Looks among the sent mail. */
  find({ key, since }: Trace): Promise<Receipt | undefined> {
    return this.#connection.run(async (session) => {
      const folder = folderLabelled(await mailFolders(session), 'SENT')
      if (!folder) return undefined
      const { path, uidValidity } = await session.open(folder.path)
      // An unusual key is encoded there.
      const header = { [keyHeader]: /^[\w.-]{1,60}$/.test(key) ? key : true }
      const uids = await session.search({ header, since: new Date(Math.max(0, since - dayMs)) })
      const query = { ...headQuery, headers: [...headQuery.headers, keyHeader] }
      for (const mail of await session.mails(uids, query)) {
        const head = imapHead({ path, uidValidity }, mail)
        if (!head || headersOf(head.block).key !== key) continue
        this.#places.remember(head)
        const { date, message_id: header_id } = headersOf(head.block)
        const sent_at = rfc3339(date ?? head.arrived)
        const receipt = { message_id: head.id, thread_id: threadOf(head), sent_at }
        return header_id === '' ? receipt : { ...receipt, header_id }
      }
      return undefined
    })
  }

  /** Waits for what is still being filed. */
  async end(): Promise<void> {
    await Promise.all([...this.#filings].map((filing) => ifSoon(filingMs, () => filing)))
  }

  /** A mail that has left stays sent, whatever becomes of its copy. */
  #file(id: string, smtp: SmtpServer, composed: ComposedMail): Promise<boolean> {
    const filing = this.#connection
      .run(async (session) => {
        if (!filesItself(session, smtp)) await fileOnce(session, id, composed)
      })
      .then(
        () => true,
        (error: unknown) => {
          const reason = AgentMailError.is(error) ? error.message : 'it failed'
          log(`a mail was sent, but not filed among the sent mail: ${reason}`)
          return false
        },
      )
      .finally(() => this.#filings.delete(filing))
    this.#filings.add(filing)
    return filing
  }
}

/** Looks first: an earlier try may have done it before the connection broke. */
async function fileOnce(session: ImapSession, id: string, composed: ComposedMail): Promise<void> {
  const folder = await folderFor(session, 'SENT')
  if (searchFor(id) && (await copiesIn(session, folder, id)).length > 0) return
  // The library takes only flags that the open folder takes.
  await session.open(folder.path, true)
  await session.append(folder.path, await composed.ownCopy(), ['\\Seen'])
}

/** Whoever asked waits no longer then, and the mail has left. */
const fired = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** What is missing then has kept the mail from being sent. */
function beforeSending<T>(ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw notSent(error.code, error.message, error.next, error.details)
  }
}
