/** One of a few, each a button. */
import type { JSX } from 'preact'

interface ChoiceProps {
  label: string
  options: readonly (readonly [value: string, words: string])[]
  chosen: string
  onChoose(value: string): void
}

export function Choice({ label, options, chosen, onChoose }: ChoiceProps): JSX.Element {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={chosen === value}
          onClick={() => onChoose(value)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  )
}
