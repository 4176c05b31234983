/** What the page shows of drafts and mails, and what a person decides about them. */
import type { PageParts, PageTable } from './page-call.ts'

export const deciding = (_parts: PageParts): PageTable => ({})
