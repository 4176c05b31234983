/** How an agent is, in a word that does not rest on colour. */
import type { JSX } from 'preact'
import type { AgentState, AgentView, MessageHead } from '../../person/shapes.ts'
import { age } from './words.tsx'

const stateWords: Record<Exclude<AgentState, 'silent'>, string> = {
  working: 'working',
  ready: 'ready',
  waits: 'waits for you',
  here: 'here',
  gone: 'gone',
}

export function StateBadge({
  agent: { state, since },
}: {
  agent: Pick<AgentView, 'state' | 'since'>
}): JSX.Element {
  const words =
    state === 'silent' ? `silent ${since === null ? '' : age(since, '')}` : stateWords[state]
  return <span class={`state ${state}`}>{words}</span>
}

const receiptWords = { queued: 'queued', notified: 'notified', read: 'read' }

export function Receipt({
  head: { state, state_at },
}: {
  head: Pick<MessageHead, 'state' | 'state_at'>
}): JSX.Element | null {
  if (state === null) return null
  const time = state_at === null ? undefined : new Date(state_at).toLocaleString()
  return (
    <span class={`receipt ${state}`} title={time}>
      {receiptWords[state]}
      {state_at === null ? '' : ` ${age(state_at)}`}
    </span>
  )
}
