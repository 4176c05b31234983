/** Approvals: a card a draft, whole and exactly as it will go out; the person approves, edits, rejects or gives it to an agent. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DraftRow, DraftsPage } from '../../person/mail-shapes.ts'
import { Fault, Heading, Loading, Nothing } from '../parts/frame.tsx'
import { count, Words } from '../parts/words.tsx'
import { boot, get } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { addressOfView, route } from '../state/route.ts'
import type { Heard } from '../state/stream.ts'
import { approve, DraftCard, type OnScreen } from './draft-card.tsx'
import { MailCard } from './mail-card.tsx'

/** What is chosen to be approved together, as it is on the screen. */
const selected = signal<ReadonlyMap<string, OnScreen>>(new Map())
const shownAtOnce = 10

export const concernsDrafts = (heard: Heard): boolean =>
  heard.kind === 'hint' && (heard.hint.about === 'drafts' || heard.hint.about === 'mail')

const isWaiting = ({ standing, sent_at }: DraftRow): boolean =>
  sent_at === null && (standing === null || standing === 'void')

export function ApprovalsView(): JSX.Element {
  const [most, setMost] = useState(shownAtOnce)
  const { id } = route.value
  const { data, error, reload } = useLive(
    'drafts',
    (signal) => get<DraftsPage>('/drafts', {}, signal),
    concernsDrafts,
  )
  const waiting = data?.drafts.filter(isWaiting) ?? []
  const approved = data?.drafts.filter((draft) => !isWaiting(draft) && draft.sent_at === null) ?? []
  const isOne = (path: string) => id === null || path === id || path === `Drafts/${id}`
  const shown = waiting.filter(({ path }) => isOne(path))
  const mails = data?.mails.filter(({ path }) => isOne(path)) ?? []
  const isGone = data !== undefined && id !== null && shown.length + mails.length === 0
  return (
    <>
      <Heading title="Approvals">
        {id !== null && <a href={addressOfView({ view: 'approvals' })}>All that waits</a>}
      </Heading>
      <Fault text={error} retry={reload} />
      {data?.faults.map(({ path, message }) => (
        <Fault key={path} text={`${path}: ${message}`} />
      ))}
      {!data && error === undefined && <Loading />}
      {isGone && (
        <Nothing title="It does not wait any more.">
          <p>It was decided, sent, moved or removed.</p>
        </Nothing>
      )}
      {data && id === null && waiting.length + mails.length === 0 && <NothingWaits />}
      <SelectionBar />
      <ul class="cards" aria-label="Drafts that wait">
        {shown.slice(0, most).map(({ path, version }) => (
          <DraftCard
            key={path}
            path={path}
            version={version}
            agents={data?.agents ?? []}
            isSelected={selected.value.has(path)}
            onSelect={(sight) => toggle(path, sight)}
            onDone={() => {
              toggle(path, undefined)
              reload()
            }}
          />
        ))}
      </ul>
      {shown.length > most && (
        <button type="button" onClick={() => setMost(most + shownAtOnce)}>
          Show {Math.min(shownAtOnce, shown.length - most)} more of {count(shown.length, 'draft')}
        </button>
      )}
      {mails.length > 0 && (
        <>
          <h2>Mails that wait for you</h2>
          <ul class="cards" aria-label="Mails that wait for you">
            {mails.map((mail) => (
              <MailCard key={mail.path} mail={mail} agents={data?.agents ?? []} onDone={reload} />
            ))}
          </ul>
        </>
      )}
      {id === null && approved.length > 0 && (
        <>
          <h2>Approved, not sent yet</h2>
          <ul class="plain-list">
            {approved.map(({ path, to, agent, subject, approved_by, status }) => (
              <li key={path}>
                <Words text={`${to ?? `@${agent ?? '?'}`}: ${subject}`} />{' '}
                <span class="quiet">
                  <Words
                    text={
                      (approved_by === null
                        ? 'moved to Approved/ by hand'
                        : `approved by ${approved_by}`) +
                      (status === null || status === 'pending_approval' ? '' : ` · ${status}`)
                    }
                  />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

export function NoVault(): JSX.Element {
  return (
    <p>
      No vault is set up: set VAULT_PATH for the server to a folder of notes, and drafts and mails
      appear here. <code>agentmail demo</code> shows it without an account.
    </p>
  )
}

function NothingWaits(): JSX.Element {
  return (
    <Nothing title="Nothing waits for your word.">
      {boot.value?.has_vault ? (
        <p>
          Drafts that the orchestrator or an agent proposes appear here, whole. With
          AGENTMAIL_SEND_POLICY=approve every mail that an agent sends comes here first.
        </p>
      ) : (
        <NoVault />
      )}
    </Nothing>
  )
}

function toggle(path: string, sight: OnScreen | undefined): void {
  const chosen = new Map(selected.value)
  if (sight === undefined || chosen.has(path)) chosen.delete(path)
  else chosen.set(path, sight)
  selected.value = chosen
}

/** Each is named with whom it goes to; the cards below show them whole. */
function SelectionBar(): JSX.Element | null {
  const chosen = [...selected.value]
  if (chosen.length === 0) return null
  const approveAll = async () => {
    for (const [path, sight] of chosen) {
      if (await approve(sight)) toggle(path, undefined)
    }
  }
  return (
    <section class="card bar" aria-label="Selected drafts">
      <ol>
        {chosen.map(([path, { draft }]) => (
          <li key={path}>
            <Words
              text={`${draft.to ?? `@${draft.agent ?? '?'}`}${draft.cc === null ? '' : `, cc ${draft.cc}`}${draft.bcc === null ? '' : `, bcc ${draft.bcc}`}: ${draft.subject}`}
            />
          </li>
        ))}
      </ol>
      <div class="row">
        <button type="button" class="main" onClick={approveAll}>
          {chosen.length === 1 ? 'Approve it' : `Approve these ${chosen.length}, as shown below`}
        </button>
        <button type="button" onClick={() => (selected.value = new Map())}>
          Select none
        </button>
      </div>
    </section>
  )
}
