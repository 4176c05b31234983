/** Text of others as text: what cannot be seen is shown, and no direction of writing reaches beyond it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { now } from '../state/shared.ts'
import { partsOf } from '../state/unseen.ts'

export function Words({ text }: { text: string }): JSX.Element {
  return (
    <bdi>
      {partsOf(text).map((part, index) =>
        part.isCode ? (
          <mark key={index} class="unseen">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </bdi>
  )
}

const foldedAt = 1500

/** The whole of a text; a long one is folded, and says how long it is. */
export function LongText({ text, label }: { text: string; label: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > foldedAt
  const shown = isOpen ? text : short(text, foldedAt)
  return (
    <section class="text" aria-label={label}>
      <pre>
        <Words text={shown} />
      </pre>
      {isLong && (
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fold' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </section>
  )
}

/** The beginning of what may be long, for a list. */
export const short = (text: string, length = 200): string =>
  text.length > length ? `${cut(text, length)}…` : text

/** No character is cut in two. */
const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

export function Ago({
  at,
  before = '',
  after = ' ago',
}: {
  at: string | null
  before?: string
  after?: string
}) {
  if (at === null || Number.isNaN(Date.parse(at))) return null
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {before}
      {age(at, after)}
    </time>
  )
}

export function age(at: string, after = ' ago'): string {
  const seconds = Math.max(0, Math.round((now.value - Date.parse(at)) / 1000))
  if (seconds < 45) return after === ' ago' ? 'just now' : 'under a minute'
  if (seconds < 3570) return `${Math.round(seconds / 60)} min${after}`
  if (seconds < 23.5 * 3600) return `${Math.round(seconds / 3600)} h${after}`
  return `${Math.round(seconds / 86_400)} d${after}`
}

/** A date as it was written, in the words of this browser where it is one. */
export const dated = (text: string): string =>
  Number.isNaN(Date.parse(text)) ? text : new Date(text).toLocaleString()

export const clock = (at: string | number): string => {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date(now.value).toDateString()
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return isToday
    ? time
    : `${date.toLocaleDateString([], { month: 'short', day: 'numeric' })} ${time}`
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

export const bytes = (size: number): string =>
  size < 1024
    ? `${size} bytes`
    : size < 1 << 20
      ? `${(size / 1024).toFixed(1)} KB`
      : `${(size / (1 << 20)).toFixed(1)} MB`
