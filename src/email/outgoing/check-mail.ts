/** Checks a mail that is asked for, before anything of it is written or sent. */

import { notSent } from '../../errors.ts'
import { checkHeaderText } from '../../mime/header-text.ts'
import type { Address } from '../../mime/mail.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import type { Limits, OutgoingMail, Provider } from '../../providers/provider.ts'
import { sha256 } from '../../system/text.ts'
import type { Vault } from '../../vault/vault.ts'
import { readAttachment } from './attachments.ts'
import type { MailRequest } from './mail-request.ts'

const mebibyte = 1 << 20

/** What every service takes. */
const usualLimits: Limits = {
  recipients: 500,
  body: 10 * mebibyte,
  total: 25 * mebibyte,
  forbidden: new Set(),
}

export async function checkMail(
  request: MailRequest,
  vault: () => Vault,
  limits: Limits = usualLimits,
): Promise<OutgoingMail> {
  const mail: OutgoingMail = {
    from: addresses('from', request.from)[0],
    to: addresses('to', request.to),
    cc: addresses('cc', request.cc),
    bcc: addresses('bcc', request.bcc),
    reply_to: addresses('reply-to', request.reply_to),
    subject: checkHeaderText('subject', request.subject),
    text: request.text,
    html: request.html,
    attachments: [],
    original: undefined,
    key: undefined,
    postmark: request.postmark,
  }
  if (addresses('from', request.from).length > 1) {
    throw notSent('invalid_request', 'from must be one address')
  }
  if (mail.to.length === 0) throw notSent('invalid_request', 'to is required')
  if (mail.text === undefined && mail.html === undefined && !request.postmark?.template) {
    throw notSent('invalid_request', 'the mail says nothing', 'Give it a text.')
  }
  checkServiceFields(request)
  checkSizes(mail, limits)
  for (const attachment of request.attachments ?? []) {
    const read = await readAttachment(attachment, vault, limits.total)
    checkEnding(read.name, limits)
    if ('path' in attachment) checkEnding(attachment.path, limits)
    mail.attachments.push(read)
    checkSizes(mail, limits)
  }
  return mail
}

/** Of an account: within it a key means one mail, from whatever folder and with whatever vault. */
export const accountScope = ({ name, account }: Pick<Provider, 'name' | 'account'>): string =>
  sha256(JSON.stringify([name, account]))

export const everybody = ({ to, cc, bcc }: OutgoingMail): Address[] => [...to, ...cc, ...bcc]

/** Of everything that a person would call the mail. */
export function contentHash(mail: OutgoingMail, reply_to_message_id: string | undefined): string {
  const { attachments, original: _, key: __, ...rest } = mail
  const hashed = attachments.map(({ name, content, contentType }) => [
    name,
    contentType,
    sha256(content),
  ])
  return sha256(JSON.stringify([rest, hashed, reply_to_message_id ?? null]))
}

const addresses = (field: string, text: string | undefined): Address[] =>
  text === undefined || text === '' ? [] : parseAddresses(field, text)

/** What a service puts into headers. */
function checkServiceFields({ postmark = {} }: MailRequest): void {
  for (const [field, text] of Object.entries({
    tag: postmark.tag,
    messageStream: postmark.message_stream,
    templateId: postmark.template && 'alias' in postmark.template ? postmark.template.alias : '',
  })) {
    if (text !== undefined) checkHeaderText(field, text)
  }
  for (const [name, value] of Object.entries(postmark.metadata ?? {})) {
    checkHeaderText('metadata', name)
    checkHeaderText('metadata', value)
  }
}

function checkSizes(mail: OutgoingMail, limits: Limits): void {
  const recipients = everybody(mail).length
  if (recipients > limits.recipients) {
    throw tooMuch(`there are ${recipients} recipients, at most ${limits.recipients} are allowed`)
  }
  const [text, html] = [mail.text, mail.html].map((body) => Buffer.byteLength(body ?? ''))
  for (const [kind, bytes = 0] of [
    ['text', text],
    ['HTML', html],
  ] as const) {
    if (bytes > limits.body) {
      throw tooMuch(
        `the ${kind} is ${bytes} bytes, at most ${limits.body / mebibyte} MB are allowed`,
      )
    }
  }
  const attached = mail.attachments.reduce((sum, { content }) => sum + inBase64(content.length), 0)
  const model = Buffer.byteLength(JSON.stringify(mail.postmark?.template_model ?? ''))
  const total = (text ?? 0) + (html ?? 0) + model + attached
  if (total > limits.total) {
    throw tooMuch(`the mail is ${total} bytes, at most ${limits.total / mebibyte} MB are allowed`)
  }
}

const inBase64 = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** By what comes after the last dot; signs after it, and a stream as Windows knows it, change nothing. */
function checkEnding(name: string, { forbidden }: Limits): void {
  const plain = name.slice(-200).normalize('NFKC').replace(/::.*$/s, '')
  const ending = /\.([a-z0-9]+)[^a-z0-9.]*\.*[^a-z0-9]*$/i.exec(plain)?.[1]?.toLowerCase() ?? ''
  if (!forbidden.has(ending)) return
  throw notSent(
    'invalid_request',
    `attachments of type .${ending} are not allowed`,
    'Send it another way.',
  )
}

const tooMuch = (message: string) => notSent('invalid_request', message, 'Make it smaller.')
