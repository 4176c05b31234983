/** Mail: what came, what was drafted, approved by whom and sent, with the audit line of each; what nobody knows is settled here. */
import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { MailView } from '../../person/mail-shapes.ts'
import { Choice } from '../parts/choice.tsx'
import { takeFocus } from '../parts/focus.ts'
import { Fault, Heading, Loading, Nothing } from '../parts/frame.tsx'
import { AnswersAgent, OpenToGive, ReadAndGive } from '../parts/give-back.tsx'
import { Ago, dated, short, Words } from '../parts/words.tsx'
import { boot, get, post } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { addressOfView, change, route } from '../state/route.ts'
import { settle } from '../state/settling.ts'
import { attempt } from '../state/toast.ts'
import { concernsDrafts, NoVault } from './approvals.tsx'

const shownAtOnce = 200

const kinds = [
  ['', 'All'],
  ['in', 'In'],
  ['out', 'Out'],
  ['unknown', 'Unknown'],
] as const

export function MailListView(): JSX.Element {
  const [limit, setLimit] = useState(shownAtOnce)
  const { query, id } = route.value
  const { kind = '' } = query
  const { data, error, reload } = useLive(
    `mail ${limit}`,
    (signal) => get<{ mails: MailView[]; faults: string[] }>('/mail', { limit }, signal),
    concernsDrafts,
  )
  const shown = (data?.mails ?? []).filter(
    ({ direction, state }) =>
      kind === '' || (kind === 'unknown' ? state === 'unknown' : direction === kind),
  )
  useLayoutEffect(settle, [shown.map(({ key }) => key).join('\n')])
  return (
    <>
      <Heading title="Mail">
        <Choice
          label="Kind"
          options={kinds}
          chosen={kind}
          onChoose={(value) => change({ kind: value })}
        />
      </Heading>
      <Fault text={error} retry={reload} />
      {data?.faults.map((fault) => (
        <Fault key={fault} text={fault} />
      ))}
      {!data && error === undefined && <Loading />}
      {data && shown.length === 0 && (
        <Nothing title={kind === '' ? 'No mail yet.' : 'None of these.'}>
          <p>
            Mails that come in and what goes out are here, each with who approved it and the line
            that was written before it left.
          </p>
          {boot.value?.has_vault === false && <NoVault />}
        </Nothing>
      )}
      <ul class="cards" aria-label="Mails">
        {shown.map((mail) => (
          <MailItem
            key={mail.key}
            mail={mail}
            isOpen={id !== null && (mail.send_id === id || mail.key === id || mail.note === id)}
            onSettled={reload}
          />
        ))}
      </ul>
      {data && data.mails.length >= limit && limit < 1000 && (
        <button type="button" onClick={() => setLimit(1000)}>
          Show older ones
        </button>
      )}
    </>
  )
}

/** The status of a note may be anything, and is no class that means something else here. */
const coloured = new Set([
  ...['waits', 'approved', 'sent', 'failed', 'unknown'],
  ...['pending', 'needs_info', 'done'],
])

interface MailItemProps {
  mail: MailView
  isOpen: boolean
  onSettled(): void
}

function MailItem({ mail, isOpen: isMeant, onSettled }: MailItemProps): JSX.Element {
  const [isChosen, setChosen] = useState(false)
  const [isGiving, setGiving] = useState(false)
  const isOpen = isMeant || isChosen
  const { direction, state, from, to, subject, at, note, asked_by } = mail
  return (
    <li ref={isMeant ? takeFocus : null} class="card mail" data-item tabIndex={-1}>
      <div class="row">
        <span class="kind">{direction === 'in' ? 'In' : 'Out'}</span>
        <span class={coloured.has(state) ? `state mail-${state}` : 'state'}>
          <Words text={short(state.replaceAll('_', ' '), 40)} />
        </span>
        <span>
          <Words text={short(direction === 'in' ? from : `to ${to}`)} />
        </span>
        {asked_by !== undefined && <AnswersAgent agent={asked_by} />}
        <span class="right quiet">
          <Ago at={at} />
        </span>
      </div>
      <div class="row">
        <strong>
          <Words text={subject === '' ? '(no subject)' : short(subject)} />
        </strong>
        <button
          type="button"
          class="small right"
          data-key="Enter"
          aria-expanded={isOpen}
          onClick={() => setChosen(!isOpen)}
        >
          {isOpen ? 'Less' : 'More'}
        </button>
      </div>
      {asked_by !== undefined && note !== null && (
        <>
          <div class="row actions">
            <OpenToGive agent={asked_by} isOpen={isGiving} onToggle={() => setGiving(!isGiving)} />
          </div>
          {isGiving && <ReadAndGive path={note} onDone={onSettled} />}
        </>
      )}
      {state === 'unknown' && mail.send_id !== null && (
        <Settle id={mail.send_id} subject={subject} onSettled={onSettled} />
      )}
      {isOpen && <Facts mail={mail} />}
    </li>
  )
}

function Facts({ mail }: { mail: MailView }): JSX.Element {
  const { audit } = mail
  const fields: [string, string | null][] = [
    ['From', mail.from],
    ['To', mail.to],
    ['Subject', mail.subject],
    ['Reason', mail.reason],
    ['Approved by', mail.approved_by],
    ['Approved at', mail.approved_at && dated(mail.approved_at)],
    ['SHA-256', mail.approved_sha256],
    ['Service', mail.provider],
    ['Sent at', mail.sent_at && dated(mail.sent_at)],
    ['Message', mail.message_id],
    ['Id', mail.send_id],
  ]
  return (
    <>
      <dl class="fields">
        {fields.flatMap(([name, value]) =>
          value === null || value === ''
            ? []
            : [
                <dt key={`${name} name`}>{name}</dt>,
                <dd key={name}>
                  <Words text={value} />
                </dd>,
              ],
        )}
        {mail.note !== null && (
          <>
            <dt>Note</dt>
            <dd>
              <a href={addressOfView({ view: 'approvals', id: mail.note })}>
                <Words text={mail.note} />
              </a>
            </dd>
          </>
        )}
      </dl>
      {audit ? (
        <>
          <h3>Written to the audit before it left</h3>
          <pre class="text">
            <Words
              text={`${audit.timestamp}  to ${audit.to}: ${audit.subject}\n${audit.body_preview}`}
            />
          </pre>
        </>
      ) : (
        mail.direction === 'out' && <p class="quiet">The audit has no line of it.</p>
      )}
    </>
  )
}

function Settle({
  id,
  subject,
  onSettled,
}: {
  id: string
  subject: string
  onSettled(): void
}): JSX.Element {
  const settle = async (outcome?: 'sent' | 'not-sent') => {
    if (await attempt(() => post('/settle', { id, outcome }), `Settled: ${short(subject)}`))
      onSettled()
  }
  return (
    <>
      <p>
        Nobody knows whether it has left. Look into the sent mail of the account (by IMAP or SMTP
        there is no copy: ask a recipient), then say what you found.
      </p>
      <div class="row">
        <button type="button" onClick={() => settle()}>
          Ask the mail service
        </button>
        <button type="button" onClick={() => settle('sent')}>
          It was sent
        </button>
        <button type="button" onClick={() => settle('not-sent')}>
          It was not sent
        </button>
      </div>
    </>
  )
}
