/** Gives the focus to what has just appeared, once. */
const met = new WeakSet<HTMLElement>()

export function takeFocus(element: HTMLElement | null): void {
  if (!element || met.has(element)) return
  met.add(element)
  element.focus()
}
