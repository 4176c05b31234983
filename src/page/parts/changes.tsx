/** What differs between two versions of a draft or a mail: field by field, the text line by line. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { AttachmentView, DraftView, ReceivedView } from '../../person/mail-shapes.ts'
import { Diff } from './diff.tsx'
import { bytes } from './words.tsx'

/** All of a draft, or what was kept of one; or a mail that came in. */
type Version = Partial<DraftView & Pick<ReceivedView, 'date' | 'text'>>

/** Whatever leaves or is given away, and so changes what an approval is of. */
const names = [
  ...['kind', 'agent', 'from', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'date'],
  ...['reply_to_message_id', 'answers', 'provider', 'postmark', 'body', 'html', 'text'],
  ...['attachments'],
] as const

interface ChangesProps {
  title: string
  /** What it does not have is not compared. */
  before: Version
  after: Version
  /** What else is known to differ, though not how. */
  others?: string[]
  /** It has just come: whoever pressed a button further down sees it first. */
  isNews?: boolean
}

export function Changes({
  title,
  before,
  after,
  others = [],
  isNews = false,
}: ChangesProps): JSX.Element {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isNews) place.current?.scrollIntoView()
  }, [before, isNews])
  const fields = names
    .filter((name) => name in before)
    .map((name) => ({ name: String(name), old: text(before, name), fresh: text(after, name) }))
    .filter(({ old, fresh }) => old !== fresh)
  const rest = others.filter((other) => fields.every(({ name }) => name !== other))
  return (
    <section class="changes" aria-label={title} ref={place}>
      <h3>{title}</h3>
      {fields.map(({ name, old, fresh }) => (
        <div key={name}>
          <strong>{name.replaceAll('_', ' ')}</strong>
          <Diff old={old} fresh={fresh} label={`What changed in ${name}`} />
        </div>
      ))}
      {rest.length > 0 && <p class="warning">Not as it was, too: {rest.join(', ')}.</p>}
      {fields.length + rest.length === 0 && <p class="quiet">Nothing that is shown here.</p>}
    </section>
  )
}

function text(version: Version, name: (typeof names)[number]): string {
  const { answers, attachments, postmark } = version
  if (name === 'answers') return answers ? `${answers.from}: ${answers.subject}` : ''
  if (name === 'postmark') return postmark ? JSON.stringify(postmark) : ''
  if (name === 'attachments') return (attachments ?? []).map(file).join('\n')
  return version[name] ?? ''
}

const file = ({ name, size, sha256, content_type }: AttachmentView): string =>
  `${name}, ${bytes(size ?? 0)}, ${content_type ?? 'of no type'}, SHA-256 ${sha256 ?? 'unknown'}`
