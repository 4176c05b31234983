/** What the coordination tools work with: a project, the address book, and whether the caller still waits for the answer. */
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Project } from '../../coordination/coordination.ts'
import type { SessionSearch } from '../../coordination/sessions/sessions.ts'

export interface CoordinationContext {
  project: Project
  book: AddressBook
  signal?: AbortSignal | undefined
  /** The session of a coding client in which the tool is called, where that is known. */
  session?: SessionSearch | undefined
  /** Whether a connection keeps an agent alive, which does nothing itself. */
  isKept?: boolean | undefined
}
