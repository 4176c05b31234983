/** What the page shows of drafts and mails, and what a person decides about them. */
import * as z from 'zod'
import { checked } from '../../connection/queries.ts'
import { settleSend } from '../../email/outgoing/settle-send.ts'
import { type AttachmentBytes, attachmentOf } from '../../person/deciding/attachment-view.ts'
import { approveSeen, rejectSeen } from '../../person/deciding/deciding-drafts.ts'
import { giveToAgent } from '../../person/deciding/delegation.ts'
import { editDraft } from '../../person/deciding/draft-edit.ts'
import { draftsPage, draftView, receivedView } from '../../person/deciding/drafts-view.ts'
import { MailDesk } from '../../person/deciding/mail-desk.ts'
import { mailsPage } from '../../person/deciding/mail-view.ts'
import { steering, unseen } from '../../system/text.ts'
import { required, requiredName } from '../../tools/coordination/fields.ts'
import { limitUpTo } from '../../tools/fields.ts'
import { readJsonBody, sendText } from '../http-exchange.ts'
import type { PageCall, PageParts, PageTable } from './page-call.ts'
import { tellingDetails } from './page-error.ts'

const path = required('path')
const sha256 = z
  .string('sha256 is required')
  .regex(/^[0-9a-f]{64}$/, 'sha256 must have 64 hexadecimal digits')
const agent = requiredName('agent')
const text = (name: string) => z.string(`${name} must be text`)

const noteQuery = z.object({ path })
const attachmentQuery = noteQuery.extend({
  index: z.coerce.number('index must be a number').int('index must be a number').min(0),
  sha256,
})
const mailsQuery = z.object({ limit: z.coerce.number().pipe(limitUpTo(1000)).default(200) })
const approval = z.strictObject({ path, sha256, agent: agent.optional() })
const rejection = z.strictObject({
  path,
  sha256: sha256.nullable(),
  reason: required('reason').max(1000, 'reason must be at most 1000 characters'),
})
const edit = z.strictObject({
  path,
  etag: required('etag'),
  to: text('to'),
  cc: text('cc'),
  bcc: text('bcc'),
  subject: text('subject'),
  body: text('body'),
})
const giving = z.strictObject({ path, sha256: sha256.nullable(), agent })
const settling = z.strictObject({
  id: required('id'),
  outcome: z.enum(['sent', 'not-sent'], 'outcome must be sent or not-sent').optional(),
})

export function deciding(parts: PageParts): PageTable {
  const desk = new MailDesk(parts)
  return tellingDetails({
    'GET /drafts': () => draftsPage(desk),
    'GET /draft': async (call) => draftView(desk, asked(call, noteQuery).path),
    'GET /received': async (call) => receivedView(desk, asked(call, noteQuery).path),
    'GET /mail': async (call) => mailsPage(desk, asked(call, mailsQuery).limit),
    'GET /attachment': async (call) =>
      sendAttachment(call, await attachmentOf(desk, asked(call, attachmentQuery))),
    'POST /approve': async (call) => approveSeen(desk, call.who, await told(call, approval)),
    'POST /reject': async (call) => rejectSeen(desk, call.who, await told(call, rejection)),
    'POST /edit': async (call) => editDraft(desk, await told(call, edit)),
    'POST /delegate': async (call) => giveToAgent(desk, call.who, await told(call, giving)),
    'POST /settle': async (call) => {
      const { id, outcome } = await told(call, settling)
      return settleSend(parts.config, id, outcome)
    },
  })
}

const asked = <T>({ query }: PageCall, schema: z.ZodType<T>): T =>
  checked(schema, Object.fromEntries(query))

const told = async <T>({ request }: PageCall, schema: z.ZodType<T>): Promise<T> =>
  checked(schema, await readJsonBody(request))

/** On its own in a browser it is run as nothing, and reaches nothing. */
function sendAttachment({ response }: PageCall, attachment: AttachmentBytes): void {
  const { name, content, type, isInline } = attachment
  sendText(response, 200, content, {
    'content-type': type,
    'content-disposition': `${isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  })
}

const mostOfName = 150

/** A name that shows what it is: its end says what a system takes the file for. */
const encoded = (name: string): string =>
  encodeURIComponent(
    [...name.toWellFormed().replace(steering, '_').replace(unseen, '_')]
      .slice(-mostOfName)
      .join(''),
  ).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
