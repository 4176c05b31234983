/** The notes of the vault through the obsidian server; where that is away, through the file system itself. */
import * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { untilDone } from '../../system/retry.ts'
import { listNotes } from '../../vault/list.ts'
import { moveNote } from '../../vault/move.ts'
import { type Note, readNote, writeNote } from '../../vault/notes.ts'
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
const movedSchema = z.object({ moved: z.literal(true) })

/** What is changed of a note; the rest of it stays. */
export interface NoteEdit {
  /** Nothing takes a field away. */
  frontmatter?: Record<string, unknown>
  /** Added at the end. */
  append?: string
}

/** An editor may save the same note again and again. */
const maxTries = 20
const pageSize = 1000

const isConflict = (error: unknown) => AgentMailError.is(error, 'conflict')

export class VaultNotes {
  readonly #client: McpClient
  readonly #vault: Vault

  constructor(client: McpClient, vault: Vault) {
    this.#client = client
    this.#vault = vault
  }

  read(path: string): Promise<Note> {
    return this.#client.call(
      'read_note',
      { path },
      {
        schema: noteSchema,
        isSafe: true,
        fallback: () => readNote(this.#vault, path),
      },
    )
  }

  /** Nothing where there is no such note. */
  async find(path: string): Promise<Note | undefined> {
    try {
      return await this.read(path)
    } catch (error) {
      if (AgentMailError.is(error) && error.code === 'not_found') return undefined
      throw error
    }
  }

  async write(path: string, frontmatter: Record<string, unknown>, body: string): Promise<void> {
    await this.#put({ path, frontmatter, body }, undefined)
  }

  /** The paths of the notes in a folder, in order; none where there is no such folder. */
  async *list(directory: string, filter?: string): AsyncGenerator<string> {
    const seen = new Set<string>()
    const isPaged = await this.#takes('list_notes', 'cursor')
    for (let cursor: string | undefined; ; ) {
      const page = await this.#page({
        directory,
        ...(filter !== undefined && { filter }),
        ...(isPaged && { limit: pageSize }),
        ...(cursor !== undefined && { cursor }),
      })
      for (const { path } of page.notes) yield path
      cursor = page.next_cursor
      if (cursor === undefined || seen.has(cursor)) return
      seen.add(cursor)
    }
  }

  async #page(args: { directory: string; filter?: string; limit?: number; cursor?: string }) {
    try {
      return await this.#client.call('list_notes', args, {
        schema: pageSchema,
        isSafe: true,
        fallback: () => listNotes(this.#vault, args),
      })
    } catch (error) {
      if (AgentMailError.is(error) && error.code === 'not_found') return { notes: [] }
      throw error
    }
  }

  async move(source: string, destination: string): Promise<void> {
    const moved = await this.read(source)
    try {
      await this.#client.call(
        'move_note',
        { source, destination },
        {
          schema: movedSchema,
          isSafe: false,
          fallback: () => moveNote(this.#vault, { source, destination }),
        },
      )
    } catch (error) {
      const isGone = AgentMailError.is(error) && error.code === 'not_found'
      // A server may have moved it and died before it could say so.
      if (!isGone || (await this.find(destination))?.body !== moved.body) throw error
    }
  }

  /**
   * Changes what `edit` says of the note as it is now; somebody else's change at the same moment
   * stays, and `edit` is asked again. Nothing where there is no such note, or nothing to change.
   */
  change(path: string, edit: (note: Note) => NoteEdit | undefined): Promise<Note | undefined> {
    const tryToChange = async () => {
      const note = await this.find(path)
      const wanted = note && edit(note)
      if (!note || !wanted) return undefined
      const changed = {
        path: note.path,
        frontmatter: edited(note.frontmatter, wanted.frontmatter),
        body: note.body + (wanted.append ?? ''),
      }
      return this.#put(changed, note.etag || undefined)
    }
    return untilDone({ tries: maxTries }, tryToChange, isConflict)
  }

  /**
   * No tool may write there, so this goes to the file: what it says is the orchestrator's own. A
   * status that a person has written since it was read stays.
   */
  async markApproved(
    path: string,
    frontmatter: Record<string, unknown>,
    read: unknown,
  ): Promise<void> {
    const tryToMark = async () => {
      const note = await readNote(this.#vault, path)
      const changed = edited(note.frontmatter, frontmatter)
      if (JSON.stringify(changed) === JSON.stringify(note.frontmatter)) return
      if (note.frontmatter.status !== read) return
      const wanted = { path, frontmatter: changed, body: note.body, if_match: note.etag }
      await writeNote(this.#vault, wanted, { mayApprove: true })
    }
    try {
      await untilDone({ tries: maxTries }, tryToMark, isConflict)
    } catch (error) {
      if (!AgentMailError.is(error, 'not_found')) throw error
    }
  }

  async #put(
    note: { path: string; frontmatter: Record<string, unknown>; body: string },
    etag: string | undefined,
  ): Promise<Note> {
    const isMatched = etag !== undefined && (await this.#takes('write_note', 'if_match'))
    const args = { ...note, ...(isMatched && { if_match: etag }) }
    return this.#client.call('write_note', args, {
      schema: noteSchema,
      isSafe: false,
      fallback: () => writeNote(this.#vault, { ...note, if_match: etag }),
    })
  }

  /** The file system takes everything. */
  async #takes(tool: string, argument: string): Promise<boolean> {
    return this.#client.takes(tool, argument).catch(() => true)
  }
}

const edited = (
  old: Record<string, unknown>,
  changes: Record<string, unknown> = {},
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...old, ...changes }).filter(([, value]) => value !== undefined),
  )
