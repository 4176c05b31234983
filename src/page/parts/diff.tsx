/** Shows what differs between two texts. */
import type { JSX } from 'preact'
import { diffLines } from '../state/line-diff.ts'
import { Words } from './words.tsx'

const words = { '-': 'removed: ', '+': 'added: ', ' ': '' }

export function Diff({
  old,
  fresh,
  label,
}: {
  old: string
  fresh: string
  label: string
}): JSX.Element {
  return (
    <section class="diff" aria-label={label}>
      {diffLines(old, fresh).map(({ sign, text }, index) => (
        <div key={index} class={sign === ' ' ? 'same' : sign === '-' ? 'gone' : 'come'}>
          <span aria-hidden="true">{sign} </span>
          <span class="hidden">{words[sign]}</span>
          <Words text={text} />
        </div>
      ))}
    </section>
  )
}
