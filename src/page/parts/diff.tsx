/** Shows what differs between two texts, with a few lines around it. */
import type { JSX } from 'preact'
import { diffLines, folded } from '../state/line-diff.ts'
import { count, Words } from './words.tsx'

const words = { '-': 'removed: ', '+': 'added: ', ' ': '' }
const kinds = { '-': 'gone', '+': 'come', ' ': 'same' }

interface DiffProps {
  old: string
  fresh: string
  label: string
}

export function Diff({ old, fresh, label }: DiffProps): JSX.Element {
  return (
    <section class="diff" aria-label={label}>
      {folded(diffLines(old, fresh)).map((line, index) =>
        typeof line === 'number' ? (
          <div key={index} class="same quiet">
            … {count(line, 'line')} as before
          </div>
        ) : (
          <div key={index} class={kinds[line.sign]}>
            <span aria-hidden="true">{line.sign} </span>
            <span class="hidden">{words[line.sign]}</span>
            <Words text={line.text} />
          </div>
        ),
      )}
    </section>
  )
}
