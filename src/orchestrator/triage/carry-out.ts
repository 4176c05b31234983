/** What a decision does to the notes: a draft, another folder, a status. Nothing is sent here. */
import { replySubject } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import { numbered } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import { inShort, type Teller } from '../events.ts'
import { fields, replyNoteName } from '../inbox/mail-note.ts'
import { fileAway } from '../outbox/filing.ts'
import type { MailClient } from '../servers/mail-client.ts'
import type { NoteEdit, VaultNotes } from '../servers/vault-notes.ts'
import type { Decision } from './decision.ts'

/** Tells a person that a draft waits; the same key once. */
export type TellOfDraft = (subject: string, key: string) => Promise<void>

interface Papers {
  notes: VaultNotes
  tellOfDraft: TellOfDraft
  mail: Pick<MailClient, 'senderOf'>
  teller: Teller
}

/** @param replyName of the note of a reply. */
export async function carryOut(
  papers: Papers,
  note: Note,
  decided: Decision,
  replyName: string,
): Promise<void> {
  const { teller, notes } = papers
  const { path } = note
  const { decision, reason } = decided
  const triaged = { triage: decision, reason }
  teller.tell('triaged', `${path}: ${decision} (${reason})`, { note: path, ...triaged })
  switch (decided.decision) {
    case 'draft_reply':
    case 'urgent':
      return draftReply(papers, note, decided, `Drafts/${replyName}`)
    case 'needs_info':
      await mark(notes, path, { frontmatter: { status: 'needs_info', ...triaged } })
      return
    case 'archive': {
      const done = { frontmatter: { status: 'done', ...triaged } }
      if (!(await mark(notes, path, done))) return
      const where = await fileAway(papers, path)
      // An editor may have put it back as it had read it, between the two.
      if (where !== undefined) await mark(notes, where, done)
      return
    }
    case 'delegate': {
      const { delegate_to } = decided
      const frontmatter = { status: 'pending_approval', ...triaged, delegate_to }
      await notes.propose({ ...note, frontmatter: { ...note.frontmatter, ...frontmatter } })
      if (!(await mark(notes, path, { frontmatter, append: delegationNote(decided) }))) return
      await papers.tellOfDraft(fields(note).subject, `${path} to an agent`)
    }
  }
}

/** Only a mail that still waits: a person may have decided meanwhile. */
const mark = (notes: VaultNotes, path: string, edit: NoteEdit): Promise<Note | undefined> =>
  notes.change(path, ({ frontmatter }) => (frontmatter.status === 'pending' ? edit : undefined))

async function draftReply(
  papers: Papers,
  note: Note,
  { decision, reason, reply }: Extract<Decision, { reply: string }>,
  path: string,
): Promise<void> {
  const { notes, teller, mail } = papers
  const { message_id, from, subject } = fields(note)
  const to = addressOf(from)
  // A tool may have written the note, or changed it.
  const sender = await mail.senderOf(message_id)
  const isOther = sender !== undefined && to !== addressOf(sender)
  if (to === undefined || isOther) {
    const but = isOther
      ? 'its from is not the sender of the mail with its message_id'
      : 'its sender has no one address that can be answered'
    await mark(notes, note.path, {
      frontmatter: { status: 'needs_info', triage: decision, reason: `${reason} (but ${but})` },
    })
    teller.tell('undecided', `${note.path} waits for you: ${but}`, { note: note.path })
    return
  }
  const frontmatter = {
    status: 'pending_approval',
    to,
    subject: replySubject('', subject),
    reply_to_message_id: message_id,
    ...(decision === 'urgent' && { priority: 'urgent' }),
  }
  await notes.propose({ path, frontmatter, body: reply })
  await notes.write(path, frontmatter, reply)
  teller.tell('drafted', `a reply to ${inShort(from, to)} waits for approval: ${path}`, {
    note: path,
    mail: note.path,
    ...(decision === 'urgent' && { priority: 'urgent' }),
  })
  await tellOfReply(papers, path, frontmatter)
  await mark(notes, note.path, { frontmatter: { status: 'drafted', triage: decision, reason } })
}

const tellOfReply = (
  { tellOfDraft }: Pick<Papers, 'tellOfDraft'>,
  path: string,
  { subject }: Note['frontmatter'],
): Promise<void> => tellOfDraft(typeof subject === 'string' ? subject : '', path)

/** Goes on where a run was killed after the reply was written. */
export async function drafted(
  papers: Pick<Papers, 'notes' | 'tellOfDraft'>,
  path: string,
  reply: Note,
): Promise<void> {
  const { path: draft, frontmatter } = reply
  if (draft.startsWith('Drafts/')) await tellOfReply(papers, draft, frontmatter)
  const triage = reply.frontmatter.priority === 'urgent' ? 'urgent' : 'draft_reply'
  const reason = 'the reply was written before an interruption'
  await mark(papers.notes, path, { frontmatter: { status: 'drafted', triage, reason } })
}

const mostReplies = 50

/**
 * The note of the reply to a mail: the one that is there, or the name for a new one. One that was
 * rejected is none, and its name is taken: what was said about it is not about the next.
 */
export async function findReply(
  notes: VaultNotes,
  subject: string,
  id: string,
): Promise<{ reply: Note | undefined; name: string }> {
  const first = replyNoteName(subject, id)
  for (let count = 1; ; count++) {
    const name = numbered(first, count)
    const found = await findIn(notes, name)
    if (!found || count === mostReplies) return { reply: found, name }
    if (found.frontmatter.status !== 'rejected') return { reply: found, name }
  }
}

async function findIn(notes: VaultNotes, name: string): Promise<Note | undefined> {
  for (const folder of ['Drafts', 'Approved', 'Done']) {
    const path = `${folder}/${name}`
    const note = (await notes.has(path)) ? await notes.find(path) : undefined
    if (note) return note
  }
  return undefined
}

/** The address alone: a name could pretend to be another address. */
function addressOf(from: string): string | undefined {
  try {
    const addresses = parseAddresses('from', from)
    return addresses.length === 1 ? addresses[0]?.address : undefined
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

/** As code, since what a model says of a mail may hold what the mail says. */
const asCode = (text: string) => `\`${text.replaceAll('`', "'")}\``

const delegationNote = ({ reason, delegate_to }: Extract<Decision, { decision: 'delegate' }>) =>
  `
## Delegation

${asCode(reason)}

${delegate_to ? `Proposed for the agent ${asCode(delegate_to)}.` : 'No agent is proposed.'} To hand it over, name the agent in
\`delegate_to\` and move this note to Approved/, or write
\`agentmail drafts approve <this note> --agent <name>\`.
`
