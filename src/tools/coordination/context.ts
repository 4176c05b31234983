/** What the coordination tools work with: a project, the address book, and whether the caller still waits for the answer. */
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Project } from '../../coordination/coordination.ts'

export interface CoordinationContext {
  project: Project
  book: AddressBook
  signal?: AbortSignal | undefined
}
