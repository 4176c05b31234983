/** What was proposed: each draft as it was first written by the orchestrator or a tool, kept where no tool writes. */
import { closeSync, constants } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import type { Attachment } from '../../mime/mail.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { isInDrafts, type Putting } from '../../vault/decided.ts'
import { appendLine, linesOf, logFolders } from '../../vault/log-file.ts'
import { nameOf, notePath } from '../../vault/note-path.ts'
import type { Found, Vault } from '../../vault/vault.ts'
import { vaultError, withVaultErrors } from '../../vault/vault-error.ts'
import { draftFacts, type Facts, factNames } from './draft-facts.ts'
import { type Asked, type DraftText, kindOf } from './draft-note.ts'

const file = 'proposals.jsonl'

interface Proposal {
  kind: Asked['kind']
  facts: Facts
}

interface Line extends Proposal {
  event: 'proposed'
  timestamp: string
  /** Of the note, which it keeps wherever it is moved. */
  name: string
  /** What we write ourselves is always as it was first written; a tool may write what is there already. */
  by: 'agentmail' | 'tool'
}

/** Sent or rejected: the next note of this name is another draft. */
interface Closed {
  event: 'closed'
  timestamp: string
  name: string
}

const known = new WeakMap<Vault, Proposals>()

export function proposalsOf(vault: Vault): Proposals {
  const proposals = known.get(vault) ?? new Proposals(vault)
  known.set(vault, proposals)
  return proposals
}

class Proposals {
  readonly #vault: Vault
  #open = new Map<string, Proposal>()
  /** Which file was read, and how far. */
  #inode = 0n
  #read = 0

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** Nothing where a person wrote it. */
  find(path: string): Promise<Proposal | undefined> {
    return withVaultErrors(`Logs/${file}`, () =>
      this.#vault.within(logFolders, (found) => {
        this.#catchUp(found)
        return this.#open.get(keyOf(path))
      }),
    )
  }

  /** Before the note is written, by whoever writes nothing but new drafts. */
  async propose(draft: DraftText, attachments?: readonly Attachment[]): Promise<void> {
    const kind = kindOf(draft)
    if (!kind) return
    const facts = await draftFacts(this.#vault, draft, attachments)
    this.#append(draft.path, 'agentmail', kind, facts)
  }

  /** What a tool does to a note. A draft that a person wrote counts as it was before a tool changed it. */
  async put({ path, from, old, ...text }: Putting): Promise<void> {
    const isDraft = isInDrafts(notePath(path))
    if (from === undefined) {
      if (!isDraft) return
      const isOld = old !== undefined && kindOf(old) === 'mail'
      return this.#keep({ path, ...(isOld ? old : text) })
    }
    if (isInDrafts(notePath(from))) await this.#keep({ path: from, ...text })
    const before = await this.find(from)
    if (!before) return isDraft ? this.#keep({ path, ...text }) : undefined
    if (await this.find(path)) return
    this.#append(path, 'tool', before.kind, before.facts)
  }

  async close(path: string): Promise<void> {
    if (!(await this.find(path))) return
    this.#write({ event: 'closed', timestamp: now(), name: nameOf(path) })
  }

  /** The first counts. */
  async #keep(draft: DraftText): Promise<void> {
    if (kindOf(draft) !== 'mail' || (await this.find(draft.path))) return
    this.#append(draft.path, 'tool', 'mail', await draftFacts(this.#vault, draft))
  }

  #append(path: string, by: Line['by'], kind: Line['kind'], facts: Facts): void {
    this.#write({ event: 'proposed', timestamp: now(), name: nameOf(path), by, kind, facts })
  }

  #write(line: Line | Closed): void {
    try {
      appendLine(this.#vault, file, JSON.stringify(line))
    } catch (error) {
      throw vaultError(`Logs/${file}`, error)
    }
  }

  /** What others and we have added. A record that cannot be read must not pass for an empty one. */
  #catchUp(found: Found | undefined): void {
    const stat = found?.folder.stat(file)
    if (stat && !stat.isFile()) {
      throw new AgentMailError(
        'storage',
        `Logs/${file} is not a file`,
        'What was proposed is recorded there: put the file back.',
      )
    }
    if (stat?.ino !== this.#inode || stat.size < this.#read) {
      this.#open.clear()
      this.#inode = stat?.ino ?? 0n
      this.#read = 0
    }
    if (!found || !stat || stat.size <= this.#read) return
    const fd = found.folder.open(file, constants.O_RDONLY)
    try {
      const lines = linesOf(fd, this.#read)
      let next = lines.next()
      for (; !next.done; next = lines.next()) this.#take(jsonOf(next.value))
      this.#read = next.value
    } finally {
      closeSync(fd)
    }
  }

  #take(value: unknown): void {
    if (!isRecord(value) || typeof value.name !== 'string') return
    const key = keyOf(value.name)
    if (value.event === 'closed') this.#open.delete(key)
    else if (isLine(value) && (value.by === 'agentmail' || !this.#open.has(key))) {
      this.#open.set(key, { kind: value.kind, facts: value.facts })
    }
  }
}

const now = (): string => rfc3339(systemClock.now())

/** Some file systems know neither case nor the form of accents. */
const keyOf = (path: string): string => nameOf(path).normalize('NFC').toLowerCase()

const isLine = (value: Record<string, unknown>): value is Record<string, unknown> & Line =>
  value.event === 'proposed' &&
  (value.kind === 'mail' || value.kind === 'delegation') &&
  isRecord(value.facts) &&
  factNames.every((name) => isRecord(value.facts) && typeof value.facts[name] === 'string')
