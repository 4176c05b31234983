/** The note of the reply to a mail: the one that is there, or the name for a new one. */
import type { Note } from '../../vault/notes.ts'
import { replyNoteName } from '../inbox/mail-note.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'

const mostReplies = 50

/** One that was rejected is none, and its name is taken: what was said about it is not about the next. */
export async function findReply(
  notes: VaultNotes,
  subject: string,
  id: string,
): Promise<{ reply: Note | undefined; name: string }> {
  const first = replyNoteName(subject, id)
  for (let count = 1; ; count++) {
    const name = count === 1 ? first : first.replace(/\.md$/, `-${count}.md`)
    const found = await findIn(notes, name)
    if (!found || count === mostReplies) return { reply: found, name }
    if (found.frontmatter.status !== 'rejected') return { reply: found, name }
  }
}

async function findIn(notes: VaultNotes, name: string): Promise<Note | undefined> {
  for (const folder of ['Drafts', 'Approved', 'Done']) {
    const note = await notes.find(`${folder}/${name}`)
    if (note) return note
  }
  return undefined
}
