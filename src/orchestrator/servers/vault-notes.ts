/** The notes of the vault: read, listed and written through the obsidian server, or without it where it is away; filed and marked on the file system. */
import * as z from 'zod'
import type { DraftText } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import { AgentMailError } from '../../errors.ts'
import { untilDone } from '../../system/retry.ts'
import { byPerson } from '../../vault/decided.ts'
import { listNotes } from '../../vault/list.ts'
import { moveNote } from '../../vault/move.ts'
import { statNote } from '../../vault/note-stat.ts'
import { type Note, readNote, unlessMissing, writeNote } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import type { McpClient } from './mcp-client.ts'

const noteSchema = z.object({
  path: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  body: z.string(),
  /** Missing where the server is another one. */
  etag: z.string().default(''),
})
const pageSchema = z.object({
  notes: z.array(z.object({ path: z.string() })),
  next_cursor: z.string().optional(),
})

/** What is changed of a note; the rest of it stays. */
export interface NoteEdit {
  /** Nothing takes a field away. */
  frontmatter?: Record<string, unknown>
  /** Added at the end. */
  append?: string
}

/** By which it proposes what it drafts, and writes to agents. */
export const orchestratorName = 'orchestrator'

/** An editor may save the same note again and again. */
const mostChanges = 20
const pageSize = 1000

const isConflict = (error: unknown) => AgentMailError.is(error, 'conflict')

export class VaultNotes {
  readonly #client: McpClient
  readonly #vault: Vault

  constructor(client: McpClient, vault: Vault) {
    this.#client = client
    this.#vault = vault
  }

  /** Nothing where there is no such note. */
  find(path: string): Promise<Note | undefined> {
    return unlessMissing(() =>
      this.#client.call(
        'read_note',
        { path },
        { schema: noteSchema, isSafe: true, fallback: () => readNote(this.#vault, path) },
      ),
    )
  }

  /** Asked of the file system, since most of what is looked for is not there. */
  async has(path: string): Promise<boolean> {
    return (await statNote(this.#vault, path)) !== undefined
  }

  async write(path: string, frontmatter: Record<string, unknown>, body: string): Promise<void> {
    const note = { path, frontmatter, body }
    await this.#client.call('write_note', note, {
      schema: noteSchema,
      isSafe: false,
      fallback: () => writeNote(this.#vault, note),
    })
  }

  /** One that says what tools may not say. */
  async put(path: string, frontmatter: Record<string, unknown>, body: string): Promise<void> {
    await writeNote(this.#vault, { path, frontmatter, body }, byPerson)
  }

  /** Before it is written: what a person finds changed in it later is compared with this. */
  propose(draft: DraftText): Promise<void> {
    return proposalsOf(this.#vault).propose(draft, { agent: orchestratorName, project: undefined })
  }

  /** It was sent: another draft may have its name. */
  close(path: string): Promise<void> {
    return proposalsOf(this.#vault).close(path)
  }

  /** The paths of the notes in a folder, in order; none where there is no such folder. */
  async *list(directory: string, filter?: string): AsyncGenerator<string> {
    const seen = new Set<string>()
    // The file system takes everything.
    const isPaged = await this.#client.takes('list_notes', 'cursor').catch(() => true)
    for (let cursor: string | undefined; ; ) {
      const args = {
        directory,
        ...(filter !== undefined && { filter }),
        ...(isPaged && { limit: pageSize }),
        ...(cursor !== undefined && { cursor }),
      }
      const page = await unlessMissing(() =>
        this.#client.call('list_notes', args, {
          schema: pageSchema,
          isSafe: true,
          fallback: () => listNotes(this.#vault, args),
        }),
      )
      for (const { path } of page?.notes ?? []) yield path
      cursor = page?.next_cursor
      if (cursor === undefined || seen.has(cursor)) return
      seen.add(cursor)
    }
  }

  async move(source: string, destination: string): Promise<void> {
    await moveNote(this.#vault, { source, destination }, byPerson)
  }

  /**
   * Changes what `edit` says of the note as it is now; somebody else's change at the same moment
   * stays, and `edit` is asked again. Nothing where there is no such note, or nothing to change.
   */
  change(path: string, edit: (note: Note) => NoteEdit | undefined): Promise<Note | undefined> {
    const tryToChange = async () => {
      const note = await unlessMissing(() => readNote(this.#vault, path))
      const wanted = note && edit(note)
      if (!note || !wanted) return undefined
      const frontmatter = edited(note.frontmatter, wanted.frontmatter)
      const body = note.body + (wanted.append ?? '')
      const changed = { path: note.path, frontmatter, body, if_match: note.etag }
      return writeNote(this.#vault, changed, byPerson)
    }
    return untilDone({ tries: mostChanges }, tryToChange, isConflict)
  }

  /** How it stands with a note in Approved/. A status that a person has written since it was read stays. */
  async mark(path: string, frontmatter: Record<string, unknown>, read: unknown): Promise<void> {
    await this.change(path, (note) => {
      const changed = edited(note.frontmatter, frontmatter)
      const isSame = JSON.stringify(changed) === JSON.stringify(note.frontmatter)
      return isSame || note.frontmatter.status !== read ? undefined : { frontmatter }
    })
  }
}

const edited = (
  old: Record<string, unknown>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined),
  )
