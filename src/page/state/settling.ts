/** A moment in which nothing is decided: what stands under the pointer has just come there, and a click is for what stood there before. */
import { signal } from '@preact/signals'

export const isSettling = signal(false)

/** As long as a second click may belong to the first. */
const settlingMs = 500
let timer: ReturnType<typeof setTimeout> | undefined

/** To be called whenever what can be decided about changes, moves or appears. */
export function settle(): void {
  isSettling.value = true
  clearTimeout(timer)
  timer = setTimeout(() => {
    isSettling.value = false
  }, settlingMs)
}
