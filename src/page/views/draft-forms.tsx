/** What a person says about a draft beyond yes: another text, no with a reason, or who shall see to it. */
import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { DraftView } from '../../person/mail-shapes.ts'
import { takeFocus } from '../parts/focus.ts'
import { short, Words } from '../parts/words.tsx'
import { post } from '../state/api.ts'
import { isSettling } from '../state/settling.ts'
import { decided } from '../state/toast.ts'
import { useTyped } from '../state/typed.ts'
import { plain } from '../state/unseen.ts'

interface EditFormProps {
  draft: DraftView
  onSaved(draft: DraftView): void
  onStale(): Promise<void>
}

const editable = ['to', 'cc', 'bcc', 'subject'] as const

export function EditForm({ draft, onSaved, onStale }: EditFormProps): JSX.Element {
  const usual = {
    to: draft.to ?? '',
    cc: draft.cc ?? '',
    bcc: draft.bcc ?? '',
    subject: draft.subject,
    body: draft.body,
  }
  const [text, keep, forget] = useTyped(`${draft.path} ${draft.etag}`, JSON.stringify(usual))
  const fields: typeof usual = JSON.parse(text)
  const setFields = (changed: typeof usual) => keep(JSON.stringify(changed))
  const id = useId()
  const save = async () => {
    let saved: DraftView | undefined
    const { path, etag } = draft
    await decided(
      async () => (saved = await post<DraftView>('/edit', { path, etag, ...fields })),
      'Saved.',
      onStale,
    )
    if (!saved) return
    forget()
    onSaved(saved)
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {editable.map((name) => (
        <label key={name} class="field">
          {name}
          <input
            value={fields[name]}
            onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <label for={id}>text</label>
      <textarea
        id={id}
        rows={12}
        value={fields.body}
        onInput={(event) => setFields({ ...fields, body: event.currentTarget.value })}
      />
      <button type="submit" class="main">
        Save the draft
      </button>
    </form>
  )
}

interface RejectFormProps {
  draft: Pick<DraftView, 'path' | 'sha256' | 'subject'>
  onDone(): void
  onStale(): Promise<void>
}

export function RejectForm({
  draft: { path, sha256, subject },
  onDone,
  onStale,
}: RejectFormProps): JSX.Element {
  const [reason, setReason] = useState('')
  const reject = async () => {
    const isDone = await decided(
      () => post('/reject', { path, sha256, reason }),
      `Rejected: ${short(subject)}`,
      onStale,
    )
    if (isDone) onDone()
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (reason.trim() !== '') void reject()
      }}
    >
      <label class="field">
        Why
        <input
          value={reason}
          maxLength={1000}
          ref={takeFocus}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="danger" disabled={reason.trim() === ''}>
        Reject it
      </button>
    </form>
  )
}

interface DelegateFormProps {
  path: string
  sha256: string | null
  agents: string[]
  onDone(): void
  onStale(): Promise<void>
}

export function DelegateForm({
  path,
  sha256,
  agents,
  onDone,
  onStale,
}: DelegateFormProps): JSX.Element {
  const [agent, setAgent] = useState(agents[0] ?? '')
  const give = async () => {
    const isDone = await decided(
      () => post('/delegate', { path, sha256, agent }),
      `Given to ${agent}.`,
      onStale,
    )
    if (isDone) onDone()
  }
  if (agents.length === 0) return <p class="quiet">Nobody is here whom it could be given to.</p>
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSettling.value) void give()
      }}
    >
      <label class="field">
        Who shall see to it
        <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
          {agents.map((name) => (
            <option key={name} value={name}>
              {plain(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="main" aria-disabled={isSettling.value}>
        Give it to <Words text={agent} />
      </button>
    </form>
  )
}
