/** Queries on Gmail by IMAP: it understands them itself, in its folder of all mail. */
import type { SearchObject } from 'imapflow'
import { allUse, type MailFolder } from './folders.ts'
import type { MailQuery } from './query.ts'

/** What says of a server that it is Gmail. */
export const gmailCapability = 'X-GM-EXT-1'

const asks = (text: string, places: string): boolean =>
  new RegExp(`(?:^|[\\s({])(?:in|is|label):"?(?:${places})"?(?:$|[\\s)}])`, 'i').test(text)

export class GmailQuery implements MailQuery {
  readonly namesPlaces = true
  readonly needsStructure = false
  readonly #text: string
  readonly #uses: readonly string[]

  constructor(text: string) {
    this.#text = text.replace(/[\r\n\0]+/g, ' ').trim()
    // Spam and trash are in no folder but their own.
    const spam = asks(text, 'spam|anywhere') ? ['\\Junk'] : []
    const trash = asks(text, 'trash|anywhere') ? ['\\Trash'] : []
    const isOnly = spam.length + trash.length > 0 && !asks(text, 'anywhere')
    this.#uses = [...(isOnly ? [] : [allUse]), ...spam, ...trash]
  }

  concerns({ use }: MailFolder): boolean {
    return this.#uses.includes(use)
  }

  searchIn(): SearchObject {
    return this.#text === '' ? { all: true } : { gmraw: this.#text }
  }

  isMeant(): true {
    return true
  }

  isMeantWhole(): true {
    return true
  }
}
