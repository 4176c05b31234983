/** A list of messages, live: by project, channel, agent or kind. */
import type { JSX } from 'preact'
import { useEffect, useReducer, useRef } from 'preact/hooks'
import type { MessageHead } from '../../person/shapes.ts'
import type { Query } from '../state/api.ts'
import { Feed } from '../state/feed.ts'
import { Asking } from '../state/live.ts'
import { addressInList, projectOfOpen, route } from '../state/route.ts'
import { listen } from '../state/stream.ts'
import { ConnectFirst, Fault, Loading, Nothing, ProjectChip } from './frame.tsx'
import { Rows } from './list.tsx'
import { Receipt } from './state-badge.tsx'
import { clock, Words } from './words.tsx'

const rowHeight = 62

export function MessageList({ query }: { query: Query }): JSX.Element {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const key = JSON.stringify(query)
  const feed = useRef<{ key: string; feed: Feed } | undefined>(undefined)
  if (feed.current?.key !== key) {
    feed.current?.feed.end()
    feed.current = { key, feed: new Feed(query, () => redraw(0)) }
  }
  const own = feed.current.feed
  useEffect(() => {
    const asking = new Asking(() => own.refresh())
    asking.soon()
    const deaf = listen((heard) => {
      const isNews =
        heard.kind === 'anything' ||
        (heard.kind === 'entry' && heard.entry.message !== null) ||
        (heard.kind === 'hint' && ['receipts', 'mailbox'].includes(heard.hint.about))
      if (isNews) asking.soon()
    })
    return () => {
      deaf()
      asking.end()
    }
  }, [own])
  if (!own.isLoaded && own.error === undefined) return <Loading />
  return (
    <>
      <Fault text={own.error} retry={() => void own.refresh()} />
      {own.isLoaded && own.length === 0 && (
        <Nothing title="No messages here yet.">
          <p>What agents say appears here the moment it is said.</p>
          <ConnectFirst />
        </Nothing>
      )}
      {own.length > 0 && (
        <Rows
          count={own.length}
          rowHeight={rowHeight}
          label="Messages"
          before={own.added}
          row={(index) => (
            <MessageRow
              key={own.at(index)?.cursor ?? index}
              head={own.at(index)}
              index={index}
              count={own.length}
            />
          )}
          onVisible={(first, last) => own.see(first, last)}
        />
      )}
    </>
  )
}

interface MessageRowProps {
  /** Nothing while it is fetched. */
  head: MessageHead | undefined
  index: number
  count: number
}

function MessageRow({ head, index, count }: MessageRowProps): JSX.Element {
  if (!head) return <li class="line message" aria-hidden="true" />
  const isOpen = route.value.id === head.id && projectOfOpen.value === head.project
  // The subject of what has none is its beginning.
  const isUntitled = head.excerpt.startsWith(head.subject.replace(/…$/, ''))
  const address = addressInList(head.project, 'messages', head.id)
  return (
    <li class="line message" aria-setsize={count} aria-posinset={index + 1}>
      <a href={address} data-item aria-current={isOpen ? 'true' : undefined}>
        <span class="row">
          <strong>
            <Words text={head.from} />
          </strong>
          <span class="quiet to">
            → <Words text={head.channel} />
          </span>
          {head.kind === 'mailbox' && <span class="chip">mailbox</span>}
          <ProjectChip name={head.project} />
          <span class="right quiet">
            <Receipt head={head} /> <time dateTime={head.at}>{clock(head.at)}</time>
          </span>
        </span>
        <span class="one-line">
          <Words text={isUntitled ? head.excerpt : head.subject} />
          {!isUntitled && (
            <span class="quiet">
              {' – '}
              <Words text={head.excerpt} />
            </span>
          )}
        </span>
      </a>
    </li>
  )
}
