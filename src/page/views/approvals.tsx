/** Approvals: a card a draft, whole and exactly as it will go out; the person approves, edits, rejects or gives it to an agent. */
import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { DraftRow, DraftsPage, DraftView } from '../../person/mail-shapes.ts'
import { Fault, Heading, Loading, Nothing } from '../parts/frame.tsx'
import { count, Words } from '../parts/words.tsx'
import { boot, get } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { addressOfView, route } from '../state/route.ts'
import { isSettling, settle } from '../state/settling.ts'
import type { Heard } from '../state/stream.ts'
import { say } from '../state/toast.ts'
import { approve, DraftCard, type OnScreen, type Outcome } from './draft-card.tsx'
import { MailCard } from './mail-card.tsx'

/** What is chosen to be approved together, as it is on the screen, by its path. */
type Selection = ReadonlyMap<string, OnScreen>

const shownAtOnce = 10

export const concernsDrafts = (heard: Heard): boolean =>
  heard.kind === 'hint' && (heard.hint.about === 'drafts' || heard.hint.about === 'mail')

const isWaiting = ({ standing, sent_at }: DraftRow): boolean =>
  sent_at === null && (standing === null || standing === 'void')

export function ApprovalsView(): JSX.Element {
  const [most, setMost] = useState(shownAtOnce)
  const [selected, setSelected] = useState<Selection>(new Map())
  const { id } = route.value
  const { data, error, reload } = useLive(
    'drafts',
    (signal) => get<DraftsPage>('/drafts', {}, signal),
    concernsDrafts,
  )
  const waiting = data?.drafts.filter(isWaiting) ?? []
  const approved = data?.drafts.filter((draft) => !isWaiting(draft) && draft.sent_at === null) ?? []
  const isOne = (path: string) => id === null || path === id || path === `Drafts/${id}`
  const matching = waiting.filter(({ path }) => isOne(path))
  const shown = matching.slice(0, most)
  const mails = data?.mails.filter(({ path }) => isOne(path)) ?? []
  const places = [...shown, ...mails].map(({ path }) => path).join('\n')
  useLayoutEffect(settle, [places])
  const select = (path: string, sight: OnScreen | undefined) =>
    setSelected((old) => {
      const chosen = new Map(old)
      if (sight === undefined) chosen.delete(path)
      else chosen.set(path, sight)
      return chosen
    })
  const faults = data?.faults.filter(({ path }) => path === '' || isOne(path)) ?? []
  const isGone =
    data !== undefined && id !== null && shown.length + mails.length + faults.length === 0
  return (
    <>
      <Heading title="Approvals">
        {id !== null && <a href={addressOfView({ view: 'approvals' })}>All that waits</a>}
      </Heading>
      <Fault text={error} retry={reload} />
      {faults.map(({ path, message }) => (
        <Fault key={path} text={path === '' ? message : `${path}: ${message}`} />
      ))}
      {!data && error === undefined && <Loading />}
      {isGone && (
        <Nothing title="It does not wait any more.">
          <p>It was decided, sent, moved or removed.</p>
        </Nothing>
      )}
      {data && id === null && waiting.length + mails.length === 0 && <NothingWaits />}
      <SelectionBar
        chosen={shown.flatMap(({ path }) => selected.get(path) ?? [])}
        drop={(path) => select(path, undefined)}
        onDone={reload}
      />
      <ul class="cards" aria-label="Drafts that wait">
        {shown.map(({ path, version }) => (
          <DraftCard
            key={path}
            path={path}
            version={version}
            agents={data?.agents ?? []}
            isSelected={selected.has(path)}
            onSelect={(sight) => select(path, selected.has(path) ? undefined : sight)}
            onChanged={() => {
              select(path, undefined)
              reload()
            }}
          />
        ))}
      </ul>
      {matching.length > most && (
        <button type="button" onClick={() => setMost(most + shownAtOnce)}>
          Show {Math.min(shownAtOnce, matching.length - most)} more of{' '}
          {count(matching.length, 'draft')}
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
          <p class="quiet">
            <code>agentmail orchestrate</code> sends them, for as long as it runs.
          </p>
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

interface SelectionBarProps {
  chosen: OnScreen[]
  drop(path: string): void
  onDone(): void
}

/** Each is named with whom it goes to; the cards below show them whole. */
function SelectionBar({ chosen, drop, onDone }: SelectionBarProps): JSX.Element | null {
  const [isBusy, setBusy] = useState(false)
  if (chosen.length === 0) return null
  const approveAll = async () => {
    if (isBusy || isSettling.value) return
    setBusy(true)
    const outcomes: Outcome[] = []
    for (const sight of chosen) {
      const outcome = await approve(sight)
      if (outcome.isDone) drop(sight.draft.path)
      outcomes.push(outcome)
    }
    setBusy(false)
    tell(outcomes)
    onDone()
  }
  return (
    <section class="card bar" aria-label="Selected drafts">
      <ol>
        {chosen.map(({ draft }) => (
          <li key={draft.path}>
            <Words text={`${peopleOf(draft)}: ${draft.subject}`} />
          </li>
        ))}
      </ol>
      <div class="row">
        <button
          type="button"
          class="main"
          disabled={isBusy || isSettling.value}
          onClick={approveAll}
        >
          {chosen.length === 1 ? 'Approve it' : `Approve these ${chosen.length}, as shown below`}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => {
            for (const { draft } of chosen) drop(draft.path)
          }}
        >
          Select none
        </button>
      </div>
    </section>
  )
}

function peopleOf({ to, cc, bcc, agent }: DraftView): string {
  const copies = [cc === null ? [] : [`cc ${cc}`], bcc === null ? [] : [`bcc ${bcc}`]].flat()
  return [to ?? `@${agent ?? '?'}`, ...copies].join(', ')
}

/** In one word for all: what was refused is not lost among what was done. */
function tell(outcomes: Outcome[]): void {
  const refused = outcomes.filter(({ isDone }) => !isDone)
  const [only] = outcomes
  const done = `${outcomes.length - refused.length} of ${outcomes.length} approved.`
  if (outcomes.length === 1 && only) say(only.words, !only.isDone)
  else say([done, ...refused.map(({ words }) => words)].join(' '), refused.length > 0)
}
