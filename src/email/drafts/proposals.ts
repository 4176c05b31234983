/** What was proposed: each draft as it was first written by the orchestrator or a tool, kept where no tool writes. */
import { closeSync, constants } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import type { Attachment } from '../../mime/mail.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { isInDrafts, type Putting } from '../../vault/decided.ts'
import { appendLine, fitsLine, linesOf, logFolders, placedLinesOf } from '../../vault/log-file.ts'
import { nameOf, notePath } from '../../vault/note-path.ts'
import { statNote } from '../../vault/note-stat.ts'
import type { Found, Vault } from '../../vault/vault.ts'
import { vaultError, withVaultErrors } from '../../vault/vault-error.ts'
import type { Asker } from '../outgoing/mail-request.ts'
import { draftFacts, type Facts, factNames } from './draft-facts.ts'
import { type Asked, type DraftText, kindOf } from './draft-note.ts'
import { isProposedText, type ProposedText, proposedTextOf } from './proposed-text.ts'

const file = 'proposals.jsonl'

interface Proposal {
  kind: Asked['kind']
  facts: Facts
  /** The name of whoever proposed it, where that is known, and the project. */
  from?: string | undefined
  project?: string | undefined
  /** Where its line begins, of one that has its text: there may be too much of it to be held. */
  textAt?: number | undefined
}

/** Asked only where something is recorded. */
type Proposer = () => Promise<string | undefined>

const nobody: Proposer = async () => undefined

interface Line extends Omit<Proposal, 'textAt'> {
  event: 'proposed'
  timestamp: string
  /** Of the note; a person who moves it to Approved/ leaves it its name. */
  path: string
  /** What we write ourselves is always as it was first written; a tool may write what is there already. */
  by: 'agentmail' | 'tool'
  /** Not kept where it is too long for a line. */
  text?: ProposedText | undefined
}

/** Sent or rejected: the next note of this name is another draft. */
interface Closed {
  event: 'closed'
  timestamp: string
  path: string
}

const known = new WeakMap<Vault, Proposals>()

export function proposalsOf(vault: Vault): Proposals {
  const proposals = known.get(vault) ?? new Proposals(vault)
  known.set(vault, proposals)
  return proposals
}

class Proposals {
  readonly #vault: Vault
  /** By path. */
  #open = new Map<string, Proposal>()
  /** The paths of those that share a name. */
  #paths = new Map<string, Set<string>>()
  /** Which file was read, and how far. */
  #inode = 0n
  #read = 0

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** Whatever may have become the note at this path: what was proposed there, or else all of its name. None where a person wrote it. */
  async find(path: string): Promise<Proposal[]> {
    await this.#look()
    const own = this.#open.get(composed(path))
    if (own) return [own]
    return [...(this.#paths.get(nameKeyOf(path)) ?? [])].flatMap((one) => this.#open.get(one) ?? [])
  }

  /** What it said, where one alone may have become the note at this path, and its text was kept. */
  async text(path: string): Promise<ProposedText | undefined> {
    const [one, ...others] = await this.find(path)
    return one && others.length === 0 ? this.#textOf(one) : undefined
  }

  /** Before the note is written, by whoever writes nothing but new drafts. */
  async propose(
    draft: DraftText,
    proposer: Asker | undefined,
    attachments?: readonly Attachment[],
  ): Promise<void> {
    const kind = kindOf(draft)
    if (!kind) return
    const facts = await draftFacts(this.#vault, draft, attachments)
    this.#append(
      draft.path,
      'agentmail',
      { kind, facts, from: proposer?.agent, project: proposer?.project },
      proposedTextOf(draft),
    )
  }

  /** Before a tool does something to a note. Gives whether a draft waits there then that did not wait before. */
  async put(putting: Putting, proposer: Proposer): Promise<boolean> {
    await this.#record(putting, proposer)
    const { path, from, old } = putting
    const didWait = from === undefined ? old && isWaiting(old) : isInDrafts(notePath(from))
    return !didWait && isInDrafts(notePath(path)) && isWaiting(putting)
  }

  /** A draft that a person wrote counts as it was before a tool changed it. */
  async #record({ path, from, old, ...text }: Putting, proposer: Proposer): Promise<void> {
    const isDraft = isInDrafts(notePath(path))
    if (from === undefined) {
      if (!isDraft) return
      const isOld = old !== undefined && kindOf(old) === 'mail'
      return isOld ? this.#keep({ path, ...old }, nobody) : this.#keep({ path, ...text }, proposer)
    }
    if (isInDrafts(notePath(from))) await this.#keep({ path: from, ...text }, nobody)
    const before = await this.#at(from)
    if (!before) return isDraft ? this.#keep({ path, ...text }, proposer) : undefined
    if (!(await this.#at(path))) this.#append(path, 'tool', before, await this.#textOf(before))
  }

  /** A note of this name was sent or rejected: that of those which are not in their place any more. */
  async close(name: string): Promise<void> {
    await this.#look()
    for (const path of [...(this.#paths.get(nameKeyOf(name)) ?? [])]) {
      if (await statNote(this.#vault, path)) continue
      this.#write({ event: 'closed', timestamp: now(), path })
    }
  }

  async #at(path: string): Promise<Proposal | undefined> {
    await this.#look()
    return this.#open.get(composed(path))
  }

  /** The first counts. */
  async #keep(draft: DraftText, proposer: Proposer): Promise<void> {
    if (kindOf(draft) !== 'mail' || (await this.#at(draft.path))) return
    const facts = await draftFacts(this.#vault, draft)
    const proposal: Proposal = { kind: 'mail', facts, from: await proposer() }
    this.#append(draft.path, 'tool', proposal, proposedTextOf(draft))
  }

  /** A line that is too long would not be read again: then what it is compared by counts more than its text. */
  #append(path: string, by: Line['by'], proposal: Proposal, text: ProposedText | undefined): void {
    const line: Line = { event: 'proposed', timestamp: now(), path, by, ...factsOf(proposal) }
    const whole = { ...line, text: proposal.kind === 'mail' ? text : undefined }
    this.#write(fitsLine(JSON.stringify(whole)) ? whole : line)
  }

  async #textOf({ textAt, facts }: Proposal): Promise<ProposedText | undefined> {
    if (textAt === undefined) return undefined
    const line = await withVaultErrors(`Logs/${file}`, () =>
      this.#vault.within(logFolders, (found) => {
        if (!found || found.folder.stat(file)?.ino !== this.#inode) return undefined
        const fd = found.folder.open(file, constants.O_RDONLY)
        try {
          const { value } = linesOf(fd, textAt).next()
          return typeof value === 'string' ? jsonOf(value) : undefined
        } finally {
          closeSync(fd)
        }
      }),
    )
    if (!isRecord(line) || !isLine(line) || !isProposedText(line.text)) return undefined
    return factNames.every((name) => line.facts[name] === facts[name]) ? line.text : undefined
  }

  #write(line: Line | Closed): void {
    try {
      appendLine(this.#vault, file, JSON.stringify(line))
    } catch (error) {
      throw vaultError(`Logs/${file}`, error)
    }
  }

  #look(): Promise<void> {
    return withVaultErrors(`Logs/${file}`, () =>
      this.#vault.within(logFolders, (found) => this.#catchUp(found)),
    )
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
      this.#paths.clear()
      this.#inode = stat?.ino ?? 0n
      this.#read = 0
    }
    if (!found || !stat || stat.size <= this.#read) return
    const fd = found.folder.open(file, constants.O_RDONLY)
    try {
      const lines = placedLinesOf(fd, this.#read)
      let next = lines.next()
      for (; !next.done; next = lines.next()) this.#take(jsonOf(next.value.text), next.value.at)
      this.#read = next.value
    } finally {
      closeSync(fd)
    }
  }

  #take(value: unknown, at: number): void {
    if (!isRecord(value) || typeof value.path !== 'string') return
    const path = composed(value.path)
    const paths = this.#paths.get(nameKeyOf(path)) ?? new Set()
    if (value.event === 'closed') {
      this.#open.delete(path)
      paths.delete(path)
    } else if (isLine(value) && (value.by === 'agentmail' || !this.#open.has(path))) {
      const { kind, facts, from, project } = value
      const textAt = isProposedText(value.text) ? at : undefined
      this.#open.set(path, {
        ...{ kind, facts },
        ...(typeof from === 'string' && { from }),
        ...(typeof project === 'string' && { project }),
        ...(textAt !== undefined && { textAt }),
      })
      this.#paths.set(nameKeyOf(path), paths.add(path))
    }
    if (paths.size === 0) this.#paths.delete(nameKeyOf(path))
  }
}

/** For a person to approve it; a status of another kind says that somebody is still at it, or was. */
const isWaiting = ({ frontmatter }: Pick<DraftText, 'frontmatter'>): boolean =>
  kindOf({ frontmatter }) === 'mail' &&
  [undefined, null, '', 'pending_approval'].some((status) => status === frontmatter.status)

/** As a line keeps it. */
const factsOf = ({ from, project, kind, facts }: Proposal) => ({ from, project, kind, facts })

const now = (): string => rfc3339(systemClock.now())

const composed = (path: string): string => path.normalize('NFC')

/** Some file systems know no case. */
const nameKeyOf = (path: string): string => composed(nameOf(path)).toLowerCase()

const isLine = (value: Record<string, unknown>): value is Record<string, unknown> & Line =>
  value.event === 'proposed' &&
  (value.kind === 'mail' || value.kind === 'delegation') &&
  isRecord(value.facts) &&
  factNames.every((name) => isRecord(value.facts) && typeof value.facts[name] === 'string')
