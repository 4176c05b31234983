/** A mail that waits for the person, without a draft: what it says, and who could see to it. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DraftsPage, ReceivedView } from '../../person/mail-shapes.ts'
import { Diff } from '../parts/diff.tsx'
import { Fault } from '../parts/frame.tsx'
import { AnswersAgent, GiveBack } from '../parts/give-back.tsx'
import { dated, LongText, short, Words } from '../parts/words.tsx'
import { get } from '../state/api.ts'
import { settle } from '../state/settling.ts'
import { DelegateForm } from './draft-forms.tsx'

interface MailCardProps {
  mail: DraftsPage['mails'][number]
  agents: string[]
  onDone(): void
}

export function MailCard({ mail, agents, onDone }: MailCardProps): JSX.Element {
  const [isGiving, setGiving] = useState(false)
  const [received, setReceived] = useState<ReceivedView | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)
  const [before, setBefore] = useState<string | undefined>(undefined)
  const load = async () => {
    try {
      const fresh = await get<ReceivedView>('/received', { path: mail.path })
      setBefore(received && received.text !== fresh.text ? received.text : undefined)
      setReceived(fresh)
      setError(undefined)
      settle()
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason))
    }
  }
  useEffect(() => void load(), [mail.path])
  return (
    <li class="card" data-item tabIndex={-1}>
      <div class="row">
        <span class="kind">
          <Words text={short(mail.status, 40)} />
        </span>
        {mail.asked_by !== null && <AnswersAgent agent={mail.asked_by} />}
        <span class="quiet">
          <Words text={mail.from} /> · <Words text={dated(mail.date)} /> ·{' '}
          <Words text={mail.path} />
        </span>
      </div>
      <h3>
        <Words text={mail.subject} />
      </h3>
      {mail.reason !== null && (
        <p>
          <Words text={mail.reason} />
        </p>
      )}
      <Fault text={error} retry={load} />
      {received && before !== undefined && (
        <section class="changes" aria-label="What changed since you looked">
          <h3>What changed since you looked</h3>
          <Diff old={before} fresh={received.text} label="What changed in the mail" />
        </section>
      )}
      {received && (
        <aside class="outside" aria-label="The mail">
          <p class="kind">Text from outside</p>
          <LongText text={received.text} label="Text from outside" />
        </aside>
      )}
      <div class="row actions">
        {mail.asked_by !== null && received && (
          <GiveBack
            agent={mail.asked_by}
            path={mail.path}
            sha256={received.sha256}
            onDone={onDone}
          />
        )}
        <button type="button" aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
          Delegate
        </button>
        <span class="quiet">Or write the answer as a note in Drafts/.</span>
      </div>
      {isGiving && received && (
        <DelegateForm
          path={mail.path}
          sha256={received.sha256}
          agents={agents}
          onDone={onDone}
          onStale={async () => {
            await load()
            onDone()
          }}
        />
      )}
    </li>
  )
}
