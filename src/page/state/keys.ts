/** The keyboard: single keys, which can be switched off, and what each of them does. */
import { signal } from '@preact/signals'
import { go, route, views } from './route.ts'
import { singleKeys } from './wishes.ts'

export const overlay = signal<'palette' | 'help' | undefined>(undefined)

export const keyWords: [keys: string, what: string][] = [
  ['j k', 'next and previous in a list'],
  ['Enter', 'open'],
  ['a', 'approve the draft that is chosen'],
  ['r', 'reject it, or answer a message'],
  ['e', 'edit it'],
  ['x', 'select it'],
  ['d', 'look at a mail that answers an agent’s, then give it to that agent'],
  ['/', 'search'],
  ['Ctrl-K', 'go anywhere'],
  ...views.map(({ key, title }): [string, string] => [`g ${key}`, title]),
  ['?', 'show all keys'],
  ['Esc', 'close, or go back'],
]

/** Each presses the button that stands for it. */
const deciding = 'arexd'
const sequenceMs = 1500
let goAt = Number.NEGATIVE_INFINITY

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      overlay.value = 'palette'
      return
    }
    // A field for a search would keep the key for itself, and empty itself alone.
    if (event.key === 'Escape' && overlay.value) {
      overlay.value = undefined
      return
    }
    // Nothing happens behind a question, which closes itself by Escape.
    const isAside = document.querySelector('dialog[open]') !== null
    if (isAside || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    // Of a key that is held down, only moving goes on: nobody decides twice without letting go.
    if (event.repeat && deciding.includes(event.key)) return
    if (event.key === 'Escape') leave(event)
    else if (event.key === 'Enter' && isChosen(event.target)) press('Enter')
    else if (!isTyping(event) && singleKeys.value && act(event.key)) event.preventDefault()
  })
}

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|range|button)$/.test(target.type))

const isChosen = (target: EventTarget | null): boolean =>
  target instanceof HTMLLIElement && target.matches('[data-item]')

/** Out of a field to what it belongs to; out of what is open to the list. */
function leave({ target }: Event): void {
  const field = target instanceof HTMLElement && target.matches('input, textarea, select')
  const close = document.querySelector<HTMLElement>('main [data-open] .close')
  if (field && target.id === 'search') document.getElementById('main')?.focus()
  else if (field && target.closest('form, [data-item]')) {
    const around = target.closest<HTMLElement>('[data-item]') ?? document.getElementById('main')
    around?.focus()
  } else if (close) close.click()
  else if (route.peek().id !== null) go({ view: route.peek().view, query: route.peek().query })
}

/** Whether the key was one of ours. */
function act(key: string): boolean {
  if (performance.now() - goAt < sequenceMs) {
    goAt = Number.NEGATIVE_INFINITY
    const found = views.find((one) => one.key === key)
    if (found) go({ view: found.view })
    return found !== undefined
  }
  if (key === 'g') goAt = performance.now()
  else if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1)
  else if (key === '/') document.getElementById('search')?.focus()
  else if (key === '?') overlay.value = 'help'
  else if (deciding.includes(key)) return press(key)
  else return false
  return true
}

/** What can be chosen is marked so; who is chosen has the focus, so that a screen reader says it. */
function move(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement>('main [data-item]')]
  const focused = document.activeElement?.closest<HTMLElement>('[data-item]')
  const at = focused ? items.indexOf(focused) : by > 0 ? -1 : items.length
  const next = items[Math.max(0, Math.min(items.length - 1, at + by))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** Presses the button that stands for the key: of what is chosen, else of what is open, else of the only thing there is. */
function press(key: string): boolean {
  const items = document.querySelectorAll('main [data-item]')
  const places = [
    document.activeElement?.closest('[data-item]'),
    document.querySelector('main [data-open]'),
    document.querySelector('main > .heading'),
    items.length === 1 ? items[0] : undefined,
  ]
  const buttons = places.map((place) => place?.querySelector<HTMLElement>(`[data-key="${key}"]`))
  const button = buttons.find((one) => one)
  button?.click()
  return button !== undefined
}
