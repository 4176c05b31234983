/** What the obsidian tools work with. */
import { type ByWhom, isInDrafts } from '../../vault/decided.ts'
import { notePath } from '../../vault/note-path.ts'
import type { VaultSearch } from '../../vault/search/vault-search.ts'
import type { Vault } from '../../vault/vault.ts'

export interface ObsidianContext {
  vault: Vault
  search: VaultSearch
  /** Tells a person that a draft waits. */
  tellOfDraft: (subject: string, from: string | undefined) => Promise<void>
  /** The name of whoever calls the tools, where that is known. */
  proposer: () => Promise<string | undefined>
}

/** A draft is recorded before it is there, so that none is there unrecorded; when it is, the person is told. */
export function byTool({ vault, tellOfDraft, proposer }: Omit<ObsidianContext, 'search'>): ByWhom {
  let subject: string | undefined
  return {
    async before(putting) {
      if (putting.from === undefined && !isInDrafts(notePath(putting.path))) return
      const { proposalsOf } = await import('../../email/drafts/proposals.ts') // with all that mail needs
      const isNew = await proposalsOf(vault).put(putting, proposer)
      subject = isNew ? String(putting.frontmatter.subject ?? '') : undefined
    },
    async after() {
      if (subject !== undefined) await tellOfDraft(subject, await proposer())
    },
  }
}
