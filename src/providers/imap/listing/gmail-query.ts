/** Queries on Gmail by IMAP: it understands them itself, in its folder of all mail. */
import type { SearchObject } from 'imapflow'
import { allUse, type MailFolder } from '../folders.ts'
import type { MailQuery } from './query.ts'

const asks = (text: string, places: string): boolean =>
  new RegExp(`(?:^|[\\s({])(?:in|is|label):"?(?:${places})"?(?:$|[\\s)}])`, 'i').test(text)

export class GmailQuery implements MailQuery {
  readonly namesPlaces = true
  readonly needsStructure = false
  readonly #text: string
  readonly #uses: readonly string[]
  /** Where the folder of all mail is not shown to mail programs, the others are searched one by one. */
  readonly #isAllHidden: boolean

  constructor(text: string, folders: readonly MailFolder[]) {
    this.#text = text.replace(/[\r\n\0]+/g, ' ').trim()
    // Spam and trash are in no folder but their own.
    const spam = asks(text, 'spam|anywhere') ? ['\\Junk'] : []
    const trash = asks(text, 'trash|anywhere') ? ['\\Trash'] : []
    const isOnly = spam.length + trash.length > 0 && !asks(text, 'anywhere')
    this.#uses = [...(isOnly ? [] : [allUse]), ...spam, ...trash]
    this.#isAllHidden = !isOnly && !folders.some(({ use }) => use === allUse)
  }

  concerns({ use }: MailFolder): boolean {
    return this.#uses.includes(use) || (this.#isAllHidden && !/^\\(?:Junk|Trash)$/.test(use))
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
