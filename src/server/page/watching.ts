/** What the page shows of agents, messages, files and what happened, and what a person does about them. */
import type { PageParts, PageTable } from './page-call.ts'

export const watching = (_parts: PageParts): PageTable => ({})
