/** Needs you: everything that waits for the person, of every project; never filtered away. */
import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { NeedView } from '../../person/shapes.ts'
import { answer, Compose } from '../parts/compose.tsx'
import { Fault, Heading, Loading, Nothing, ProjectChip } from '../parts/frame.tsx'
import { AnswersAgent, OpenToGive, ReadAndGive } from '../parts/give-back.tsx'
import { Ago, Words } from '../parts/words.tsx'
import { post } from '../state/api.ts'
import { addressOfNeed, needWords } from '../state/need.ts'
import { addressOfView, project } from '../state/route.ts'
import { settle } from '../state/settling.ts'
import { needs, needsFaults } from '../state/shared.ts'
import { attempt } from '../state/toast.ts'

const shownAtFirst = 50

/** Whoever cannot go on without an answer comes before what can wait. */
const rank = ({ urgent, kind }: NeedView): number => (urgent ? 0 : kind === 'waits' ? 1 : 2)

export function NeedsList(): JSX.Element {
  const [isAll, setAll] = useState(false)
  const all = needs.value
  // Those of the chosen project come first; the others are never left out.
  const own = (need: NeedView) =>
    need.project === null || project.value === null || need.project === project.value
  const sorted =
    all && [...all].sort((one, other) => rank(one) - rank(other) || +!own(one) - +!own(other))
  const shown = isAll ? sorted : sorted?.slice(0, shownAtFirst)
  useLayoutEffect(settle, [shown?.map(({ key }) => key).join('\n')])
  return (
    <>
      <Heading title="Needs you" />
      {needsFaults.value.map((fault) => (
        <Fault key={fault} text={fault} />
      ))}
      {!shown && <Loading />}
      {shown?.length === 0 && <NothingNeeded />}
      <ul class="cards" aria-label="What needs you">
        {shown?.map((need) => (
          <Card key={need.key} need={need} />
        ))}
      </ul>
      {sorted && shown && sorted.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {sorted.length}
        </button>
      )}
    </>
  )
}

function NothingNeeded(): JSX.Element {
  return (
    <Nothing title="Nothing needs you.">
      <p>
        Agents ask you by writing to your address, drafts wait here for your word, and you hear of
        conflicts and of agents that fall silent while they hold files.
      </p>
      <p>
        Next: <a href={addressOfView({ view: 'setup' })}>connect a client or send a test message</a>
        , <a href={addressOfView({ view: 'messages' })}>read what agents say</a>, or{' '}
        <a href={addressOfView({ view: 'timeline' })}>look at the day</a>.
      </p>
    </Nothing>
  )
}

function Card({ need }: { need: NeedView }): JSX.Element {
  const [isAnswering, setAnswering] = useState(false)
  const [isGiving, setGiving] = useState(false)
  // A message without a subject has its beginning for a title.
  const begun = need.title.replace(/…$/, '')
  const isBegun = need.text.startsWith(begun)
  const text = `${isBegun && begun !== need.title ? '…' : ''}${need.text.slice(isBegun ? begun.length : 0).trim()}`
  const isLetter = need.kind === 'message' || need.kind === 'mailbox'
  const { project: of, target, asked_by } = need
  return (
    <li class={`card need ${need.kind}${need.urgent ? ' urgent' : ''}`} data-item tabIndex={-1}>
      <div class="what">
        <div class="row">
          <span class="kind">{need.urgent ? 'Urgent' : needWords[need.kind]}</span>
          <ProjectChip name={of} />
          {asked_by !== undefined && <AnswersAgent agent={asked_by} />}
          <span class="quiet">
            <Words text={need.from} /> <Ago at={need.at} />
          </span>
        </div>
        <h2>
          <a href={addressOfNeed(need)} data-key="Enter">
            <Words text={need.title} />
          </a>
        </h2>
        {text !== '' && (
          <p class="excerpt">
            <Words text={text.length > 600 ? `${text.slice(0, 600)}…` : text} />
          </p>
        )}
      </div>
      <div class="row">
        {isLetter && of !== null ? (
          <>
            <button
              type="button"
              data-key="r"
              aria-expanded={isAnswering}
              onClick={() => setAnswering(!isAnswering)}
            >
              Answer
            </button>
            <button
              type="button"
              onClick={() => attempt(() => post('/read', { project: of, ids: [target] }))}
            >
              Mark as read
            </button>
          </>
        ) : (
          <>
            {asked_by !== undefined && (
              <OpenToGive
                agent={asked_by}
                isOpen={isGiving}
                onToggle={() => setGiving(!isGiving)}
              />
            )}
            <a class="button" href={addressOfNeed(need)}>
              {steps[need.kind]}
            </a>
          </>
        )}
      </div>
      {isGiving && asked_by !== undefined && <ReadAndGive path={target} />}
      {isAnswering && of !== null && (
        <Compose
          about={need.key}
          label={`Answer ${need.from}`}
          hasFocus
          send={answer(of, target)}
          onSent={() => setAnswering(false)}
        />
      )}
    </li>
  )
}

const steps: Record<NeedView['kind'], string> = {
  draft: 'Review',
  delegation: 'Review',
  mail: 'Look at it',
  message: 'Open',
  mailbox: 'Open',
  unknown_send: 'Settle it',
  conflict: 'See who holds it',
  waits: 'See what it does',
  silent: 'See what it holds',
}
