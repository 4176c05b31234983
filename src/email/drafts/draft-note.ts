/** The way back from a draft to the mail that it asks for: the front matter says to whom, the body is exactly what is sent. */
import { AgentMailError } from '../../errors.ts'
import { checkHeaderText, hasControls } from '../../mime/header-text.ts'
import type { Attachment } from '../../mime/mail.ts'
import type { PostmarkOptions, ProviderName } from '../../providers/provider.ts'
import { sha256 } from '../../system/text.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { checkMail, contentHash } from '../outgoing/check-mail.ts'
import { bodyOf, type MailRequest, takesOneBody } from '../outgoing/mail-request.ts'
import {
  addressesOf,
  attachmentsOf,
  checkSpelling,
  choiceOf,
  type Fields,
  has,
  postmarkOptionsOf,
  providerOf,
  textOf,
  wrong,
} from './draft-fields.ts'

export type Asked = AskedMail | Delegation

interface AskedMail {
  kind: 'mail'
  request: MailRequest
  /** Nothing for a draft of Gmail, or of what stands in for it. */
  provider: ProviderName | undefined
}

/** A mail that an agent is to be given. */
interface Delegation {
  kind: 'delegation'
  agent: string | undefined
  message_id: string
  subject: string
  from: string
}

const maxAgentLength = 255

/** What of a note makes it a draft. */
export type DraftText = Pick<Note, 'path' | 'frontmatter' | 'body'>

/** What a note asks for, however badly it does; nothing where it is no draft. */
export function kindOf({ frontmatter }: Pick<DraftText, 'frontmatter'>): Asked['kind'] | undefined {
  if (!has(frontmatter, 'message_id')) return has(frontmatter, 'to') ? 'mail' : undefined
  return frontmatter.triage === 'delegate' ? 'delegation' : undefined
}

/** @example draftOf(await readNote(vault, 'Drafts/hello.md')).kind // 'mail' */
export function draftOf(note: DraftText): Asked {
  const kind = kindOf(note)
  if (!kind) {
    if (!has(note.frontmatter, 'message_id')) checkSpelling(note.frontmatter, ['to'])
    throw notADraft(note)
  }
  return kind === 'mail' ? mailOf(note) : delegationOf(note.frontmatter)
}

export function notADraft({ path, frontmatter }: DraftText): AgentMailError {
  const isMail = has(frontmatter, 'message_id')
  return new AgentMailError(
    'invalid_request',
    `not a draft: ${path} ${isMail ? 'is a mail that came in' : 'names nobody whom it goes to'}`,
    isMail
      ? 'Give the note of the answer to it, which is in Drafts/; or, for a mail that waits, --agent <name>.'
      : 'A draft has at least a line such as to: jane@example.com between the --- lines at its top.',
  )
}

/** A draft as it was read at one moment: what it asks for, the bytes of its files, and the hash of just that. */
export interface Seen {
  asked: Asked
  attachments: readonly Attachment[]
  /** SHA-256 of exactly what will be sent. */
  hash: string
}

/** An error where it cannot be sent. */
export async function seenOf(vault: Vault, note: DraftText): Promise<Seen> {
  const asked = draftOf(note)
  if (asked.kind === 'mail') return { asked, ...(await mailSeen(vault, asked)) }
  const { kind, agent, message_id, subject, from } = asked
  const date = textOf(note.frontmatter, 'date') ?? ''
  const parts = [kind, agent ?? null, message_id, subject, from, date, note.body]
  return { asked, attachments: [], hash: sha256(JSON.stringify(parts)) }
}

export const hashOf = async (vault: Vault, note: DraftText): Promise<string> =>
  (await seenOf(vault, note)).hash

/** Each part is JSON, or a hash of it, so that no two mails are the same text. */
async function mailSeen(vault: Vault, { kind, provider, request }: AskedMail) {
  const mail = await checkMail(request, () => vault)
  const content = contentHash(mail, request.reply_to_message_id)
  const { attachments } = mail
  return { attachments, hash: sha256(JSON.stringify([kind, provider ?? null, content])) }
}

/** The same mail with its attachments as they are now, and the hash of just that. */
export async function withBytes(
  vault: Vault,
  asked: AskedMail,
): Promise<{ asked: AskedMail; hash: string }> {
  const { attachments } = await mailSeen(vault, asked)
  const held = attachments.map(({ name, content, contentType }) => ({
    name,
    content: content.toString('base64'),
    contentType,
  }))
  const fixed = { ...asked, request: { ...asked.request, attachments: held } }
  return { asked: fixed, hash: (await mailSeen(vault, fixed)).hash }
}

function mailOf({ frontmatter, body }: DraftText): AskedMail {
  checkSpelling(frontmatter)
  const provider = providerOf(frontmatter)
  const to = addressesOf(frontmatter, 'to')
  if (to === undefined) throw wrong('to', 'names nobody')
  const postmark = provider === 'postmark' ? postmarkOptionsOf(frontmatter) : undefined
  const request: MailRequest = {
    from: textOf(frontmatter, 'from'),
    to,
    cc: addressesOf(frontmatter, 'cc'),
    bcc: addressesOf(frontmatter, 'bcc'),
    reply_to: addressesOf(frontmatter, 'reply_to'),
    subject: textOf(frontmatter, 'subject') ?? '',
    ...bodiesOf(frontmatter, body, provider, postmark),
    attachments: attachmentsOf(frontmatter),
    reply_to_message_id: answeredBy(frontmatter),
    postmark,
  }
  return { kind: 'mail', request, provider }
}

/** The id of the mail that a draft answers. */
export function answeredBy(fields: Fields): string | undefined {
  const id = textOf(fields, 'reply_to_message_id')
  return id === undefined ? undefined : checkHeaderText('reply_to_message_id', id)
}

function bodiesOf(
  fields: Fields,
  body: string,
  provider: ProviderName = 'gmail',
  postmark: PostmarkOptions | undefined,
): Pick<MailRequest, 'text' | 'html'> {
  const isBlank = body.trim() === ''
  if (postmark?.template) {
    if (isBlank) return {}
    throw new AgentMailError(
      'invalid_request',
      'the draft has a template and a text, of which only one can be sent',
      'Take out the text below the front matter, or the template.',
    )
  }
  const misplaced = foreignTo(provider).find((name) => has(fields, name))
  if (misplaced) throw wrong(misplaced, `is not for a draft that goes through ${provider}`)
  const html = textOf(fields, 'html')
  if (isBlank && html === undefined) {
    throw new AgentMailError('invalid_request', 'the draft says nothing', 'Write its text.')
  }
  if (takesOneBody(provider)) return bodyOf(body)
  if (choiceOf(fields, 'format', ['html']) === undefined) return { text: body, html }
  if (html !== undefined) throw wrong('html', 'is there twice: the text is HTML already')
  return { html: body }
}

/** What would change the text if it were heeded, and must not be left out unseen. */
function foreignTo(provider: ProviderName): string[] {
  if (takesOneBody(provider)) return ['format', 'html', 'template']
  return provider === 'postmark' ? [] : ['template']
}

function delegationOf(fields: Fields): Delegation {
  checkSpelling(fields, ['delegate_to'])
  return {
    kind: 'delegation',
    agent: agentOf(fields),
    message_id: textOf(fields, 'message_id') ?? '',
    subject: textOf(fields, 'subject') ?? '',
    from: textOf(fields, 'from') ?? '',
  }
}

function agentOf(fields: Fields): string | undefined {
  const agent = textOf(fields, 'delegate_to')?.trim()
  if (agent === undefined || agent === '') return undefined
  if (agent.length <= maxAgentLength && !hasControls(agent)) return agent
  throw wrong('delegate_to', `must be one line of at most ${maxAgentLength} characters`)
}
