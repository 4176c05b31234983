/** A mail that waits for the person, without a draft: what it says, and who could see to it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DraftsPage } from '../../person/mail-shapes.ts'
import { AnswersAgent, GiveBack } from '../parts/give-back.tsx'
import { ReceivedMail, useReceived } from '../parts/received.tsx'
import { dated, short, Words } from '../parts/words.tsx'
import { DelegateForm } from './draft-forms.tsx'

interface MailCardProps {
  mail: DraftsPage['mails'][number]
  agents: string[]
  onDone(): void
}

export function MailCard({ mail, agents, onDone }: MailCardProps): JSX.Element {
  const [isGiving, setGiving] = useState(false)
  const received = useReceived(mail.path)
  // What is given away is what was loaded: the list changes by itself.
  const { from, date, subject, asked_by } = received.mail ?? mail
  const refresh = async () => {
    await received.load()
    onDone()
  }
  return (
    <li class="card" data-item tabIndex={-1}>
      <div class="row">
        <span class="kind">
          <Words text={short(mail.status, 40)} />
        </span>
        {asked_by !== null && <AnswersAgent agent={asked_by} />}
        <span class="quiet">
          <Words text={from} /> · <Words text={dated(date)} /> · <Words text={mail.path} />
        </span>
      </div>
      <h3>
        <Words text={subject} />
      </h3>
      {mail.reason !== null && (
        <p>
          <Words text={mail.reason} />
        </p>
      )}
      <ReceivedMail received={received} />
      <div class="row actions">
        {asked_by !== null && received.mail && (
          <GiveBack
            agent={asked_by}
            path={mail.path}
            sha256={received.mail.sha256}
            onDone={onDone}
            onStale={refresh}
          />
        )}
        <button type="button" aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
          Delegate
        </button>
        <span class="quiet">Or write the answer as a note in Drafts/.</span>
      </div>
      {isGiving && received.mail && (
        <DelegateForm
          path={mail.path}
          sha256={received.mail.sha256}
          agents={agents}
          onDone={onDone}
          onStale={refresh}
        />
      )}
    </li>
  )
}
