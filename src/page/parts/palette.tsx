/** Goes anywhere by a few letters: views, projects, agents, what waits. */
import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { boot } from '../state/api.ts'
import { overlay } from '../state/keys.ts'
import { addressOfNeed } from '../state/need.ts'
import { addressOfView, views } from '../state/route.ts'
import { agents, needs } from '../state/shared.ts'
import { Dialog } from './dialog.tsx'
import { takeFocus } from './focus.ts'
import { short, Words } from './words.tsx'

interface Place {
  title: string
  kind: string
  address: string
}

const mostShown = 12

function places(): Place[] {
  return [
    ...views.map(({ view, title }) => ({ title, kind: 'view', address: addressOfView({ view }) })),
    ...(needs.value ?? []).map((need) => ({
      title: need.title,
      kind: 'needs you',
      address: addressOfNeed(need),
    })),
    ...(agents.value ?? []).map(({ name, project }) => ({
      title: name,
      kind: `agent in ${project}`,
      address: addressOfView({ project, view: 'agents', id: name }),
    })),
    {
      title: 'all projects',
      kind: 'project',
      address: addressOfView({ project: null, view: 'needs' }),
    },
    ...(boot.value?.projects ?? []).map(({ name }) => ({
      title: name,
      kind: 'project',
      address: addressOfView({ project: name, view: 'messages' }),
    })),
  ]
}

export function Palette(): JSX.Element {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ title, kind }: Place) =>
    words.every((word) => `${title} ${kind}`.toLowerCase().includes(word))
  const search = {
    title: `Search for “${text.trim()}”`,
    kind: 'search',
    address: addressOfView({ view: 'search', query: { q: text } }),
  }
  const found = [
    ...places().filter(fits).slice(0, mostShown),
    ...(text.trim() === '' ? [] : [search]),
  ]
  const chosen = Math.min(at, found.length - 1)
  const close = () => (overlay.value = undefined)
  const open = (place: Place | undefined) => {
    if (!place) return
    close()
    location.hash = place.address
  }
  return (
    <Dialog title="Go to" onClose={close} class="palette">
      <input
        type="search"
        role="combobox"
        aria-label="Where to"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        value={text}
        ref={takeFocus}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1))
          else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1))
          else if (event.key === 'Enter') open(found[chosen])
          else if (event.key === 'Escape')
            close() // a box with a text in it would only clear that
          else return
          event.preventDefault()
          event.stopPropagation() // it was for this, and not for what lies behind
        }}
      />
      <div id={id} role="listbox" aria-label="Places">
        {found.map((place, index) => (
          <button
            type="button"
            tabIndex={-1}
            key={`${place.kind} ${place.address}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(place)}
          >
            <Words text={short(place.title)} />{' '}
            <span class="quiet">
              <Words text={place.kind} />
            </span>
          </button>
        ))}
      </div>
    </Dialog>
  )
}
