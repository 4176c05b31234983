/** A mail that waits for a person: a note in Drafts/ whose body is exactly what will be sent. */

import { addressList } from '../../mime/address.ts'
import type { Attachment } from '../../mime/mail.ts'
import type { OutgoingMail, ProviderName } from '../../providers/provider.ts'
import { slug } from '../../system/text.ts'
import { editNote } from '../../vault/front-matter/front-matter-edit.ts'
import { createNote } from '../../vault/note-change.ts'
import { checkSize } from '../../vault/note-file.ts'
import type { Vault } from '../../vault/vault.ts'
import { withVaultErrors } from '../../vault/vault-error.ts'
import { type Asker, askedBody, takesOneBody } from '../outgoing/mail-request.ts'
import { proposalsOf } from './proposals.ts'

interface Draft {
  /** Makes the note's name its own; the same id is the same draft. */
  id: string
  provider: ProviderName
  mail: OutgoingMail
  reply_to_message_id: string | undefined
  /** Whoever proposes it, where that is known. */
  proposer?: Asker | undefined
}

/** Gives the path of the note. One that is there already stays as it is. */
export async function writeDraft(vault: Vault, draft: Draft): Promise<string> {
  const { id, mail } = draft
  const name = `${slug(mail.subject)}-${id}.md`
  const path = `Drafts/${name}`
  await withVaultErrors(path, async () => {
    const kept = mail.attachments.map((attachment, index) => ({
      file: `${id}-${index + 1}${endingOf(attachment)}`,
      attachment,
    }))
    const values = frontMatter(
      draft,
      kept.map(({ file, attachment: { name, contentType } }) => ({
        path: `Drafts/Attachments/${file}`,
        name,
        content_type: contentType,
      })),
    )
    const body = mail.postmark?.template ? '' : askedBody(draft.provider, mail)
    const bytes = Buffer.from(editNote(undefined, values, body))
    checkSize(path, bytes.length)
    // A person can look at them, and what is sent later is what was there to be seen.
    for (const { file, attachment } of kept) {
      create(vault, ['Drafts', 'Attachments'], file, attachment.content)
    }
    await proposalsOf(vault).propose(
      { path, frontmatter: values, body },
      draft.proposer,
      mail.attachments,
    )
    create(vault, ['Drafts'], name, bytes)
  })
  return path
}

function frontMatter(draft: Draft, attachments: object[]) {
  const { provider, mail, reply_to_message_id } = draft
  const isOneBody = takesOneBody(provider)
  const { postmark = {} } = mail
  const listed = (addresses: OutgoingMail['to']) =>
    addresses.length > 0 ? addressList(addresses) : undefined
  return withoutAbsent({
    status: 'pending_approval',
    provider: isOneBody ? undefined : provider,
    from: mail.from && addressList([mail.from]),
    to: listed(mail.to),
    cc: listed(mail.cc),
    bcc: listed(mail.bcc),
    reply_to: listed(mail.reply_to),
    subject: mail.subject,
    reply_to_message_id,
    format: !isOneBody && mail.text === undefined && mail.html !== undefined ? 'html' : undefined,
    html: isOneBody || mail.text === undefined ? undefined : mail.html,
    ...postmark,
    attachments: attachments.length > 0 ? attachments : undefined,
  })
}

const endingOf = ({ name }: Attachment): string => /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? ''

function create(vault: Vault, folders: string[], name: string, bytes: Buffer): void {
  const place = vault.make(folders)
  try {
    createNote(place, name, bytes)
  } finally {
    place.folder.close()
  }
}

const withoutAbsent = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
