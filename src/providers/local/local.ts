/** Mail without any account: a folder of .eml files, read from inbox/ and written to sent/. */

import { AgentMailError } from '../../errors.ts'
import type { Address } from '../../mime/mail.ts'
import { type MimeMail, readMime } from '../../mime/read-mime.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import type { Lock } from '../../system/lock.ts'
import { labelNamed } from '../label-names.ts'
import type { Inbox, Provider } from '../provider.ts'
import { originalIn, type ShownText, wordsOfHtml } from '../raw-mail.ts'
import { LocalBox, type LocalHead, type MailBytes } from './box.ts'
import { boxNames, makeMailFolder } from './folder.ts'
import { isLocalId } from './id.ts'
import { LocalLabels } from './labels.ts'
import { type LocalMail, listMails } from './list.ts'
import { keepNameIds } from './name-ids.ts'
import { writeReceived } from './receive.ts'
import { writeSent } from './send.ts'

/** A folder takes in mail too, whoever brings it. */
export interface LocalProvider extends Provider {
  readonly inbox: Inbox
  /** Once on disk, it is told whether it is new: the same `identity` is the same mail; without it, its content says which mail it is. */
  receive(mail: { raw: Buffer; identity?: string }): Promise<boolean>
}

export interface LocalOptions {
  /** Who sends where a mail does not say it. */
  from?: Address | undefined
  /** What is told in snippets; without it, the text, or the HTML without its tags. */
  shownText?: ShownText
  /** Tests switch the lock off to show what it holds together. */
  lock?: Lock
  clock?: Clock
}

const nobody: Address = { name: '', address: 'agentmail@localhost' }

/** The folder, and inbox/ and sent/ in it, are made where they are missing. */
export function openLocalMail(dir: string, options: LocalOptions = {}): LocalProvider {
  const root = makeMailFolder(dir, (path) => {
    for (const box of boxNames) keepNameIds(path, box, new Map())
  })
  const mail: LocalMail = {
    boxes: {
      inbox: new LocalBox(root, 'inbox', options.clock),
      sent: new LocalBox(root, 'sent', options.clock),
    },
    labels: new LocalLabels(root, options.lock),
    shownText: options.shownText ?? (({ text, html = '' }) => text ?? wordsOfHtml(html)),
  }
  return {
    name: 'local',
    account: root,
    inbox: inboxOf(mail),
    async receive(received) {
      // As with what is sent: only the id of an old mail may be another one later.
      await mail.boxes.inbox.prepare().catch(() => {})
      return writeReceived(root, received)
    },
    async send(outgoing, signal) {
      // What cannot be prepared keeps no mail from leaving: only its id may be another one later.
      await mail.boxes.sent.prepare().catch(() => {})
      const from = outgoing.from ?? options.from ?? nobody
      return writeSent(root, { ...outgoing, from }, signal)
    },
    async find({ key }) {
      const heads = await mail.boxes.sent.heads(false)
      const found = heads.find((head) => head.key === key)
      if (!found) return undefined
      const { content } = await parsed(mail, found.id)
      return {
        message_id: found.id,
        thread_id: found.thread_id,
        sent_at: rfc3339(found.date),
        ...(content.message_id !== '' && { header_id: content.message_id }),
      }
    },
  }
}

function inboxOf(mail: LocalMail): Inbox {
  const add = async (id: string, label: string, isMove: boolean) => {
    const { head } = await read(mail, id, 0)
    return mail.labels.change(head, (labels, known) => {
      const added = labelNamed(label, known)
      const kept = isMove ? labels.filter((other) => other !== 'INBOX') : labels
      return [...kept, added]
    })
  }
  return {
    list: (request) => listMails(mail, request),
    async get(id) {
      const { head, content } = await parsed(mail, id)
      const { subject, sender, to, text, html, others, attachment_names, isComplete } = content
      const date = rfc3339(head.date)
      return { id, subject, sender, to, date, text, html, others, attachment_names, isComplete }
    },
    move: (id, label) => add(id, label, true),
    label: (id, label) => add(id, label, false),
    async original(id) {
      const { head, content } = await parsed(mail, id)
      return originalIn(content, head.thread_id)
    },
  }
}

async function parsed(
  mail: LocalMail,
  id: string,
): Promise<{ head: LocalHead; content: MimeMail }> {
  const { head, bytes, isWhole } = await read(mail, id)
  const content = await readMime(bytes)
  return { head, content: { ...content, isComplete: content.isComplete && isWhole } }
}

async function read({ boxes }: LocalMail, id: string, limit?: number): Promise<MailBytes> {
  const found = isLocalId(id)
    ? ((await boxes.inbox.read(id, limit)) ?? (await boxes.sent.read(id, limit)))
    : undefined
  if (found) return found
  throw new AgentMailError(
    'not_found',
    'there is no mail with this id',
    'List the mails to see their ids.',
  )
}
