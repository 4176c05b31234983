/** One draft, whole, as it will go out. What is approved is what is on the screen: where it changed meanwhile, the button only shows what changed. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApprovedView, DraftView } from '../../person/mail-shapes.ts'
import { Changes } from '../parts/changes.tsx'
import { Fault, Loading } from '../parts/frame.tsx'
import { Ago, short, Words } from '../parts/words.tsx'
import { get, post, Refused } from '../state/api.ts'
import { isSettling, settle } from '../state/settling.ts'
import { say } from '../state/toast.ts'
import { DraftBody } from './draft-body.tsx'
import { DelegateForm, EditForm, RejectForm } from './draft-forms.tsx'

export interface OnScreen {
  draft: DraftView
  /** Shows the new version, and how it differs. */
  refresh(): Promise<void>
}

export interface Outcome {
  isDone: boolean
  /** For the person. */
  words: string
}

/** Approves exactly what is on the screen, or nothing. */
export async function approve({ draft, refresh }: OnScreen): Promise<Outcome> {
  const { path, sha256, subject } = draft
  try {
    const done = await post<ApprovedView>('/approve', { path, sha256 })
    const how = done.already ? `Was approved already, by ${done.approved_by}` : 'Approved'
    return { isDone: true, words: `${how}: ${short(subject)}${done.note ? `. ${done.note}` : ''}` }
  } catch (error) {
    if (error instanceof Refused && isOutdated(error)) await refresh()
    const isChanged = error instanceof Refused && 'version' in error.details
    const words = error instanceof Error ? error.message : String(error)
    return { isDone: false, words: isChanged ? changedWords(subject) : words }
  }
}

/** Whether the draft itself is why: it is another one now, or does not wait any more. */
const isOutdated = ({ status }: Refused): boolean => [400, 404, 409].includes(status)

const changedWords = (subject: string): string =>
  `Nothing was approved: ${subject} has changed since it was shown. Its card says what changed.`

interface DraftCardProps {
  path: string
  /** As the list knows it now. */
  version: string | null
  agents: string[]
  isSelected: boolean
  onSelect(sight: OnScreen): void
  /** It was decided, is another one now, or is gone. */
  onChanged(): void
}

/** What a person has seen of each draft: a card may go and come back, as while its note is being written. */
const lastShown = new Map<string, DraftView>()
const mostRemembered = 200

function remember(draft: DraftView): void {
  lastShown.delete(draft.path)
  lastShown.set(draft.path, draft)
  const [oldest] = lastShown.keys()
  if (oldest !== undefined && lastShown.size > mostRemembered) lastShown.delete(oldest)
}

interface Shown {
  draft: DraftView
  /** What was shown before, where it was another. */
  before: DraftView | undefined
  /** The version in the list at that moment: it may be the one before, and is no news. */
  listed: string | null
}

type Form = 'edit' | 'reject' | 'delegate'

export function DraftCard({
  path,
  version,
  agents,
  isSelected,
  onSelect,
  onChanged,
}: DraftCardProps): JSX.Element {
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)
  const [form, setForm] = useState<Form | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const draft = shown?.draft
  const show = (fresh: DraftView, before?: DraftView) => {
    setShown({ draft: fresh, before, listed: version })
    setError(undefined)
    settle()
  }
  const load = async () => {
    try {
      const fresh = await get<DraftView>('/draft', { path })
      const before = draft ?? lastShown.get(path)
      show(fresh, before && before.sha256 !== fresh.sha256 ? before : undefined)
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason))
    }
  }
  const refresh = async () => {
    await load()
    onChanged()
  }
  useEffect(() => void load(), [path])
  useEffect(() => {
    if (draft) remember(draft)
  }, [draft])
  if (!shown || !draft) {
    return (
      <li class="card draft" data-item tabIndex={-1}>
        <Fault text={error} retry={load} />
        {error === undefined && <Loading />}
      </li>
    )
  }
  const { before, listed } = shown
  const sight: OnScreen = { draft, refresh }
  // Nothing on the screen changes by itself: a click would be for something that nobody has seen.
  const isOld = version !== draft.version && version !== listed
  const isMail = draft.kind === 'mail'
  // What is void was changed after it was approved: it can be approved anew, as it is now.
  const isReady = draft.problem === null || draft.standing === 'void'
  const canApprove = draft.sha256 !== null && isReady
  const decide = async () => {
    if (isBusy || isSettling.value) return
    if (isOld) {
      await refresh()
      return say(changedWords(draft.subject), true)
    }
    if (!isMail && draft.agent === null) return setForm('delegate')
    setBusy(true)
    const { isDone, words } = await approve(sight)
    setBusy(false)
    say(words, !isDone)
    if (isDone) onChanged()
  }
  // What is typed there is not what would be sent.
  const isEditing = form === 'edit'
  const open = (which: Form) => setForm(form === which ? undefined : which)
  return (
    <li class={`card draft${draft.priority === 'urgent' ? ' urgent' : ''}`} data-item tabIndex={-1}>
      <div class="row">
        <label class="select">
          <input
            type="checkbox"
            data-key="x"
            checked={isSelected}
            disabled={!isSelected && (!canApprove || isOld)}
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
          <button type="button" onClick={refresh}>
            Show what changed
          </button>
        </p>
      )}
      {before && (
        <Changes title="What changed since you looked" before={before} after={draft} isNews />
      )}
      <Fault text={error} retry={refresh} />
      {draft.problem !== null && <Fault text={draft.problem} />}
      <DraftBody draft={draft} />
      {draft.proposed && draft.changed && draft.changed.length > 0 && !before && (
        <Changes
          title="Edited since it was proposed"
          before={draft.proposed}
          after={draft}
          others={draft.changed}
        />
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
          disabled={(!canApprove && !isOld) || isEditing}
          aria-disabled={isBusy || isSettling.value}
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
        {isMail && draft.standing === null && (
          <button type="button" data-key="e" aria-expanded={isEditing} onClick={() => open('edit')}>
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
        {isEditing && (
          <span class="quiet">Save the draft, or close it with Edit, to approve it.</span>
        )}
      </div>
      {isEditing && (
        <EditForm
          draft={draft}
          onSaved={(saved) => {
            show(saved)
            setForm(undefined)
            onChanged()
          }}
          onStale={refresh}
        />
      )}
      {form === 'reject' && <RejectForm draft={draft} onDone={onChanged} onStale={refresh} />}
      {form === 'delegate' && (
        <DelegateForm
          path={draft.path}
          sha256={draft.sha256}
          agents={agents}
          onDone={onChanged}
          onStale={refresh}
        />
      )}
    </li>
  )
}
