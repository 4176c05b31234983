/** One draft, whole, as it will go out. What is approved is what is on the screen: where it changed meanwhile, the button only shows what changed. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DraftView } from '../../person/mail-shapes.ts'
import { Diff } from '../parts/diff.tsx'
import { Fault, Loading } from '../parts/frame.tsx'
import { Ago, short, Words } from '../parts/words.tsx'
import { get, post, Refused } from '../state/api.ts'
import { say } from '../state/toast.ts'
import { DraftBody } from './draft-body.tsx'
import { DelegateForm, EditForm, RejectForm } from './draft-forms.tsx'

export interface OnScreen {
  draft: DraftView
  /** Shows the new version, and how it differs. */
  refresh(): Promise<void>
}

/** Approves exactly what is on the screen; whether it was done. */
export async function approve({ draft, refresh }: OnScreen, agent?: string): Promise<boolean> {
  try {
    const { note } = await post<{ note?: string }>('/approve', {
      path: draft.path,
      sha256: draft.sha256,
      agent,
    })
    say(`Approved: ${short(draft.subject)}${note ? `. ${note}` : ''}`)
    return true
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true)
    if (error instanceof Refused && (error.status === 409 || error.status === 404)) await refresh()
    return false
  }
}

interface DraftCardProps {
  path: string
  /** As the list knows it now. */
  version: string | null
  agents: string[]
  isSelected: boolean
  onSelect(sight: OnScreen): void
  onDone(): void
}

type Form = 'edit' | 'reject' | 'delegate'

export function DraftCard({
  path,
  version,
  agents,
  isSelected,
  onSelect,
  onDone,
}: DraftCardProps): JSX.Element {
  const [draft, setDraft] = useState<DraftView | undefined>(undefined)
  const [before, setBefore] = useState<DraftView | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)
  const [form, setForm] = useState<Form | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const load = async () => {
    try {
      const fresh = await get<DraftView>('/draft', { path })
      setBefore(draft && draft.sha256 !== fresh.sha256 ? draft : undefined)
      setDraft(fresh)
      setError(undefined)
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason))
    }
  }
  useEffect(() => void load(), [path])
  if (!draft) {
    return (
      <li class="card draft" data-item tabIndex={-1}>
        <Fault text={error} retry={load} />
        {error === undefined && <Loading />}
      </li>
    )
  }
  const sight: OnScreen = { draft, refresh: load }
  // Nothing on the screen changes by itself: a click would be for something that nobody has seen.
  const isOld = version !== draft.version
  const isMail = draft.kind === 'mail'
  const canApprove = draft.sha256 !== null && draft.problem === null
  const decide = async () => {
    if (isBusy) return
    if (isOld) return load()
    if (!isMail && draft.agent === null) return setForm('delegate')
    setBusy(true)
    const isApproved = await approve(sight)
    setBusy(false)
    if (isApproved) onDone()
  }
  const open = (which: Form) => setForm(form === which ? undefined : which)
  return (
    <li class={`card draft${draft.priority === 'urgent' ? ' urgent' : ''}`} data-item tabIndex={-1}>
      <div class="row">
        <label class="select">
          <input
            type="checkbox"
            data-key="x"
            checked={isSelected}
            disabled={!canApprove || isOld}
            onChange={() => onSelect(sight)}
          />{' '}
          Select
        </label>
        {draft.priority === 'urgent' && <span class="kind">Urgent</span>}
        <span class="quiet">
          {draft.proposed_by !== null && (
            <>
              proposed by <Words text={draft.proposed_by} />{' '}
            </>
          )}
          <Ago at={draft.at} /> · <Words text={draft.path} /> · version {draft.version ?? 'none'}
        </span>
      </div>
      {isOld && (
        <p class="warning" role="status">
          It has changed since it was shown here.{' '}
          <button type="button" onClick={load}>
            Show what changed
          </button>
        </p>
      )}
      {before && <Changes title="What changed since you looked" before={before} after={draft} />}
      {draft.problem !== null && <Fault text={draft.problem} />}
      <DraftBody draft={draft} />
      {draft.proposed && draft.changed && draft.changed.length > 0 && !before && (
        <Changes title="Edited since it was proposed" before={draft.proposed} after={draft} />
      )}
      {draft.changed && draft.changed.length > 0 && !draft.proposed && (
        <p class="warning">
          Not as it was proposed: <Words text={draft.changed.join(', ')} />.
        </p>
      )}
      <div class="row actions">
        <button
          type="button"
          class="main"
          data-key="a"
          disabled={!canApprove && !isOld}
          onClick={decide}
        >
          <Words
            text={
              isMail
                ? 'Approve'
                : draft.agent === null
                  ? 'Give it to…'
                  : `Give it to ${draft.agent}`
            }
          />
        </button>
        {isMail && (
          <button
            type="button"
            data-key="e"
            aria-expanded={form === 'edit'}
            onClick={() => open('edit')}
          >
            Edit
          </button>
        )}
        <button
          type="button"
          data-key="r"
          aria-expanded={form === 'reject'}
          onClick={() => open('reject')}
        >
          Reject
        </button>
        {(draft.answers !== null || !isMail) && (
          <button
            type="button"
            aria-expanded={form === 'delegate'}
            onClick={() => open('delegate')}
          >
            Delegate
          </button>
        )}
      </div>
      {form === 'edit' && (
        <EditForm
          draft={draft}
          onSaved={(saved) => {
            setBefore(undefined)
            setDraft(saved)
            setForm(undefined)
            onDone()
          }}
          onStale={load}
        />
      )}
      {form === 'reject' && <RejectForm draft={draft} onDone={onDone} onStale={load} />}
      {form === 'delegate' && (
        <DelegateForm
          path={draft.path}
          sha256={draft.sha256}
          agents={agents}
          onDone={onDone}
          onStale={load}
        />
      )}
    </li>
  )
}

type Compared = Record<'to' | 'subject' | 'body', string | null> & {
  cc: string | null
  bcc: string | null
  attachments?: { name: string; sha256: string | null }[]
}

/** Field by field, the text line by line. */
function Changes({
  title,
  before,
  after,
}: {
  title: string
  before: Compared
  after: Compared
}): JSX.Element {
  const files = ({ attachments }: Compared) =>
    (attachments ?? []).map(({ name, sha256 }) => `${name} ${sha256 ?? ''}`).join('\n')
  const fields = (['to', 'cc', 'bcc', 'subject', 'body'] as const)
    .map((name) => ({ name: String(name), old: before[name] ?? '', fresh: after[name] ?? '' }))
    .concat(
      before.attachments ? [{ name: 'attachments', old: files(before), fresh: files(after) }] : [],
    )
    .filter(({ old, fresh }) => old !== fresh)
  return (
    <section class="changes" aria-label={title}>
      <h3>{title}</h3>
      {fields.map(({ name, old, fresh }) => (
        <div key={name}>
          <strong>{name}</strong>
          <Diff old={old} fresh={fresh} label={`What changed in ${name}`} />
        </div>
      ))}
      {fields.length === 0 && <p class="quiet">Nothing that is shown here.</p>}
    </section>
  )
}
