/** All that would leave: every recipient, the whole text, each attachment; beside it the mail that it answers. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AttachmentView, DraftView } from '../../person/mail-shapes.ts'
import { MailHead } from '../parts/received.tsx'
import { bytes, LongText, Words } from '../parts/words.tsx'
import { addressOf } from '../state/api.ts'
import { attempt } from '../state/toast.ts'
import { plain } from '../state/unseen.ts'

export function DraftBody({ draft }: { draft: DraftView }): JSX.Element {
  const isMail = draft.kind === 'mail'
  const fields: [string, string | null][] = [
    ['From', draft.from ?? (isMail ? 'your own address' : null)],
    ['To', isMail ? draft.to : `@${draft.agent ?? '?'}`],
    ['Cc', draft.cc],
    ['Bcc', draft.bcc],
    ['Reply-To', draft.reply_to],
    ['Subject', draft.subject],
    ['Service', draft.provider],
    ['Postmark', draft.postmark && JSON.stringify(draft.postmark)],
    // With its note the mail itself stands beside.
    ['Answers', draft.answers ? null : draft.reply_to_message_id],
    ['Reason', draft.reason],
  ]
  return (
    <div class={draft.answers ? 'beside' : ''}>
      <div>
        <dl class="fields">
          {fields.flatMap(([name, value]) =>
            value === null
              ? []
              : [
                  <dt key={`${name} name`}>{name}</dt>,
                  <dd key={name}>
                    <Words text={value} />
                  </dd>,
                ],
          )}
        </dl>
        <LongText
          text={draft.body}
          label={isMail ? 'Text that will be sent' : 'The mail, text from outside'}
        />
        {draft.html !== null && (
          <>
            <h3>And as HTML, shown as text</h3>
            <LongText text={draft.html} label="HTML that will be sent" />
          </>
        )}
        {draft.attachments.length > 0 && (
          <ul class="plain-list" aria-label="Attachments">
            {draft.attachments.map((file, index) => (
              <Attachment key={index} path={draft.path} index={index} file={file} />
            ))}
          </ul>
        )}
      </div>
      {draft.answers && (
        <aside class="outside" aria-label="The mail that it answers">
          <p class="kind">It answers this mail, which is text from outside</p>
          <MailHead mail={draft.answers} />
          <LongText text={draft.answers.text} label="Text from outside" />
        </aside>
      )}
    </div>
  )
}

const isPicture = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(type)
const mostShown = 200_000

function Attachment({
  path,
  index,
  file,
}: {
  path: string
  index: number
  file: AttachmentView
}): JSX.Element {
  const [text, setText] = useState<string | undefined>(undefined)
  const [isPainted, setPainted] = useState(false)
  const address = addressOf('/attachment', { path, index, sha256: file.sha256 })
  const type = file.content_type ?? ''
  const look = () =>
    isPicture(type)
      ? setPainted(!isPainted)
      : attempt(async () => {
          const response = await fetch(address)
          if (!response.ok) throw new Error('It is not as it was shown: look at the draft again.')
          setText((await response.text()).slice(0, mostShown))
        })
  return (
    <li>
      <span class="path">
        <Words text={file.name} />
      </span>{' '}
      {file.fault !== null ? (
        <span class="fault">
          <Words text={file.fault} />
        </span>
      ) : (
        <>
          <span class="quiet">
            {bytes(file.size ?? 0)}, <Words text={type} />, SHA-256 <code>{file.sha256}</code>
          </span>{' '}
          {(isPicture(type) || /^text\//.test(type)) && (
            <button type="button" class="small" onClick={() => void look()}>
              Look
            </button>
          )}{' '}
          <a href={address} download>
            Download
          </a>
        </>
      )}
      {text !== undefined && <LongText text={text} label={plain(`Text of ${file.name}`)} />}
      {isPainted && (
        <img class="picture" src={address} alt={plain(`The attachment ${file.name}`)} />
      )}
    </li>
  )
}
