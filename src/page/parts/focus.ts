/** Where the focus is: what has just appeared takes it, and what goes away leaves it to its neighbour. */
import { route } from '../state/route.ts'

const met = new WeakSet<HTMLElement>()

/** Gives the focus to what has just appeared, once. */
export function takeFocus(element: HTMLElement | null): void {
  if (!element || met.has(element)) return
  met.add(element)
  element.focus()
}

/** What had the focus last, what of a list it belonged to, and as which one of it. */
interface Held {
  element: HTMLElement
  item: HTMLElement | null
  index: number
  view: string
}

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('main [data-item]')]

/** Whoever works by keyboard goes on where they were when a card, a form or a view goes away under them. */
export function keepFocus(): void {
  let held: Held | undefined
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const item = target.closest<HTMLElement>('[data-item]')
    const index = item ? items().indexOf(item) : -1
    held = { element: target, item, index, view: route.peek().view }
  })
  // By a click beside everything the focus is given up.
  document.addEventListener('pointerdown', () => (held = undefined))
  new MutationObserver(() => {
    if (!held || held.element.isConnected) return
    const { item, index, view } = held
    held = undefined
    if (document.activeElement !== document.body) return
    const all = view === route.peek().view && index >= 0 ? items() : []
    const next = item?.isConnected ? item : (all[index] ?? all.at(-1))
    ;(next ?? document.getElementById('main'))?.focus()
  }).observe(document.body, { childList: true, subtree: true })
}
