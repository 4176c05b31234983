/** A person gives a mail to an agent: a proposed delegation, a mail that waits, or one that a draft would have answered. */
import { answeredBy, kindOf, notADraft } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { givenHash } from '../../orchestrator/approval/giving.ts'
import {
  isWaitingMail,
  mailHead,
  noteAt,
  notesIn,
} from '../../orchestrator/approval/received-mail.ts'
import { reject } from '../../orchestrator/approval/reject.ts'
import { newestFor, standingAt } from '../../orchestrator/approval/standing.ts'
import { fields } from '../../orchestrator/inbox/mail-note.ts'
import { nameOf } from '../../vault/note-path.ts'
import { type Note, notFound } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ApprovedView } from '../mail-shapes.ts'
import { approveSeen } from './deciding-drafts.ts'
import type { MailDesk } from './mail-desk.ts'

interface ToGive {
  path: string
  /** Of what they have seen; null for a draft that could not be sent, and for what an earlier call has moved. */
  sha256: string | null
  agent: string
}

/** Killed in between, the mail waits for the person, and the same call completes it. */
export async function giveToAgent(desk: MailDesk, by: string, word: ToGive): Promise<ApprovedView> {
  const agent = await desk.agentCalled(word.agent)
  const given: Giving = { desk, by, agent, sha256: word.sha256 }
  const note = await noteAt(desk.records().vault, word.path)
  if (!note) return giveAgain(given, word.path)
  const kind = kindOf(note)
  if (kind === 'mail') return giveAnswered(given, note)
  const { sha256 } = word
  if (kind === 'delegation' && sha256 !== null) {
    return approveSeen(desk, by, { path: note.path, sha256, agent })
  }
  if (isWaitingMail(note)) return giveWaiting(given, note)
  if (fields(note).message_id === '') throw notADraft(note)
  throw kind === 'delegation' ? unseenMail(note) : notWaiting(note)
}

interface Giving {
  desk: MailDesk
  by: string
  agent: string
  sha256: string | null
}

/** The mail is looked for first: without it, the draft is all that there is. */
async function giveAnswered(giving: Giving, draft: Note): Promise<ApprovedView> {
  const { desk, by, agent, sha256 } = giving
  const id = answeredBy(draft.frontmatter)
  if (id === undefined) {
    throw new AgentMailError(
      'invalid_request',
      `${draft.path} answers no mail: there is nothing that an agent could be given`,
      'Approve it, change it or reject it.',
    )
  }
  const mail = await waitingMailOf(desk.records().vault, id)
  if (!mail) throw noMail(draft.path)
  const again = { ...mail, frontmatter: { ...mail.frontmatter, status: 'needs_info' } }
  await givenHash(desk.records().vault, again) // or it could be handed to nobody
  await reject(desk.records(), draft.path, { by, sha256, reason: reasonOf(agent) })
  const waiting = await waitingMailOf(desk.records().vault, id)
  if (!waiting) throw noMail(draft.path)
  return giveMail(giving, waiting)
}

const reasonOf = (agent: string): string => `given to ${agent}`

/** A note that has left its place: approved before, or the draft that was rejected for it. */
async function giveAgain(giving: Giving, path: string): Promise<ApprovedView> {
  const { desk, agent } = giving
  const records = desk.records()
  const there = await givenBefore(giving, `Approved/${nameOf(path)}`)
  if (there) return there
  const verdict = newestFor(await records.approvals.verdicts(), path)
  const isBegun = verdict?.event === 'rejected' && verdict.reason === reasonOf(agent)
  const id = isBegun ? verdict.reply_to_message_id : null
  if (id === null) throw notFound(path)
  const mail = await waitingMailOf(records.vault, id)
  if (mail) return giveMail(giving, mail)
  for (const one of await notesOf(records.vault, 'Approved', id)) {
    const given = await givenBefore(giving, one.path)
    if (given) return given
  }
  throw noMail(path)
}

/** What an earlier call has completed, for the same agent. */
async function givenBefore(
  { desk, by, agent }: Giving,
  path: string,
): Promise<ApprovedView | undefined> {
  const records = desk.records()
  const note = await noteAt(records.vault, path)
  if (note?.frontmatter.delegate_to !== agent || kindOf(note) !== 'delegation') return undefined
  const standing = await standingAt(records, path)
  if (standing.is !== 'approved') return undefined
  return approveSeen(desk, by, { path, sha256: standing.sha256, agent })
}

/** As the person has read it. Why it can be given to nobody comes first: such a mail was shown without a hash. */
async function giveWaiting({ desk, by, agent, sha256 }: Giving, mail: Note): Promise<ApprovedView> {
  const current = await givenHash(desk.records().vault, mail)
  if (sha256 === null) throw unseenMail(mail)
  if (sha256 !== current) throw otherText(mail.path)
  return approveSeen(desk, by, { path: mail.path, sha256, agent })
}

/** After the word about its draft. */
async function giveMail({ desk, by, agent }: Giving, mail: Note): Promise<ApprovedView> {
  const sha256 = await givenHash(desk.records().vault, mail)
  return approveSeen(desk, by, { path: mail.path, sha256, agent })
}

/** One that nobody has dealt with: as it came, as its draft was written, or as an earlier call has left it. */
async function waitingMailOf(vault: Vault, id: string): Promise<Note | undefined> {
  const states = ['pending', 'needs_info', 'drafted', 'pending_approval']
  return (await notesOf(vault, 'Needs_Action', id)).find((note) =>
    states.includes(mailHead(note).status),
  )
}

async function notesOf(vault: Vault, folder: string, id: string): Promise<Note[]> {
  const paths = await notesIn(vault, folder, `message_id:${id}`)
  const notes = await Promise.all(paths.map((path) => noteAt(vault, path)))
  return notes.filter((note) => note !== undefined).filter((note) => fields(note).message_id === id)
}

const noMail = (path: string) =>
  new AgentMailError(
    'invalid_request',
    `the mail that ${path} answers does not wait any more`,
    'Nobody was given anything. Look at the list again.',
  )

const notWaiting = ({ path }: Note) =>
  new AgentMailError(
    'invalid_request',
    `${path} does not wait for anybody`,
    'A mail can be given to an agent while its note waits in Needs_Action/.',
  )

const unseenMail = ({ path }: Note) =>
  new AgentMailError(
    'invalid_request',
    `which version of ${path} have you seen?`,
    'Give the sha256 that it was shown with.',
  )

const otherText = (path: string) =>
  new AgentMailError(
    'conflict',
    `${path} is not what you have seen: it was changed since`,
    'Nobody was given anything. Look at it again.',
  )
