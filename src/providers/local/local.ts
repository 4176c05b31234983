/** Mail without any account: a folder of .eml files, read from inbox/ and written to sent/. */

import { AgentMailError } from '../../errors.ts'
import type { Address } from '../../mime/mail.ts'
import { type MimeMail, readMime } from '../../mime/read-mime.ts'
import { rfc3339 } from '../../system/clock.ts'
import type { Lock } from '../../system/lock.ts'
import { labelNamed } from '../label-names.ts'
import type { Inbox, Provider } from '../provider.ts'
import { LocalBox, type LocalHead, type MailBytes } from './box.ts'
import { makeMailFolder } from './folder.ts'
import { isLocalId, threadId } from './id.ts'
import { LocalLabels } from './labels.ts'
import { type LocalMail, listMails, type ShownText, wordsOfHtml } from './list.ts'
import { writeSent } from './send.ts'

export interface LocalOptions {
  /** Who sends where a mail does not say it. */
  from?: Address | undefined
  /** What is told in snippets; without it, the text, or the HTML without its tags. */
  shownText?: ShownText
  /** Tests switch the lock off to show what it holds together. */
  lock?: Lock
}

const nobody: Address = { name: '', address: 'agentmail@localhost' }

/** The folder, and inbox/ and sent/ in it, are made where they are missing. */
export function openLocalMail(dir: string, options: LocalOptions = {}): Provider {
  const root = makeMailFolder(dir)
  const mail: LocalMail = {
    boxes: { inbox: new LocalBox(root, 'inbox'), sent: new LocalBox(root, 'sent') },
    labels: new LocalLabels(root, options.lock),
    shownText: options.shownText ?? (({ text, html = '' }) => text ?? wordsOfHtml(html)),
  }
  return {
    name: 'local',
    account: root,
    inbox: inboxOf(mail),
    send: (outgoing, signal) =>
      writeSent(root, { ...outgoing, from: outgoing.from ?? options.from ?? nobody }, signal),
    async find({ key }) {
      const heads = await mail.boxes.sent.heads(false)
      const found = heads.find((head) => head.key === key)
      return (
        found && {
          message_id: found.id,
          thread_id: found.thread_id,
          sent_at: rfc3339(found.date),
        }
      )
    },
  }
}

function inboxOf(mail: LocalMail): Inbox {
  const add = async (id: string, label: string, isMove: boolean) =>
    mail.labels.change(read(mail, id, 0).head, (labels, known) => {
      const added = labelNamed(label, known)
      const kept = isMove ? labels.filter((other) => other !== 'INBOX') : labels
      return [...kept, added]
    })
  return {
    list: (request) => listMails(mail, request),
    async get(id) {
      const { head, content } = await parsed(mail, id)
      const { subject, sender, to, text, html, attachment_names, isComplete } = content
      const date = rfc3339(head.date)
      return { id, subject, sender, to, date, text, html, attachment_names, isComplete }
    },
    move: (id, label) => add(id, label, true),
    label: (id, label) => add(id, label, false),
    async original(id) {
      const { content } = await parsed(mail, id)
      const { subject, message_id, in_reply_to, references } = content
      const before = references.length > 0 || in_reply_to === '' ? references : [in_reply_to]
      return { thread_id: threadId(content, id), subject, message_id, references: before }
    },
  }
}

async function parsed(
  mail: LocalMail,
  id: string,
): Promise<{ head: LocalHead; content: MimeMail }> {
  const { head, bytes, isWhole } = read(mail, id)
  const content = await readMime(bytes)
  return { head, content: { ...content, isComplete: content.isComplete && isWhole } }
}

function read({ boxes }: LocalMail, id: string, limit?: number): MailBytes {
  const found = isLocalId(id)
    ? (boxes.inbox.read(id, limit) ?? boxes.sent.read(id, limit))
    : undefined
  if (found) return found
  throw new AgentMailError(
    'not_found',
    'there is no mail with this id',
    'List the mails to see their ids.',
  )
}
