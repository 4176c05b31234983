/**
 * What every provider that can be read must do: `providerInboxSuite('local', can, open)`, where `open()` gives an
 * empty account of its own to each test, as a `MailPlace`.
 */
import { describe } from 'vitest'
import type { Inbox } from '../../src/providers/provider.ts'
import { labelsSuite } from './inbox/labels.ts'
import { oddMailsSuite } from './inbox/odd-mails.ts'
import { pagesSuite } from './inbox/pages.ts'
import { queriesSuite } from './inbox/queries.ts'
import { readingSuite } from './inbox/reading.ts'

/** A server may not see through the way a mail was sent; a fake knows only some words. */
export type Searching = 'by us' | 'by a server' | 'by a fake'

/** What of the suite a provider can be held to; all unless it says otherwise. */
export interface InboxAbilities {
  searched?: Searching
  /** Its mails are read by us, and not given in parts by the service. */
  oddMails?: boolean
}

export interface MailPlace {
  inbox: Inbox
  /** Brings a mail into the inbox, as the world does; it came at the time of its Date unless `at` says when. */
  deliver(raw: string | Buffer, at?: Date): void | Promise<void>
  /** The account as another process sees it. */
  again(): Inbox | Promise<Inbox>
  /** Sends a mail from the account. */
  send(subject: string, text: string): Promise<unknown>
}

export type OpenPlace = () => MailPlace | Promise<MailPlace>

export function providerInboxSuite(name: string, can: InboxAbilities, open: OpenPlace): void {
  const { searched = 'by us', oddMails = true } = can
  describe(`the inbox of ${name}`, () => {
    pagesSuite(open)
    readingSuite(open)
    labelsSuite(open)
    queriesSuite(open, searched)
    if (oddMails) oddMailsSuite(open)
  })
}
