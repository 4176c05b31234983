/** Short words about what was just done, or was not. */
import { signal } from '@preact/signals'
import { Refused } from './api.ts'

interface Toast {
  id: number
  text: string
  isError: boolean
}

export const toasts = signal<Toast[]>([])

const shownMs = 6000
const errorMs = 12_000
const most = 4
let last = 0

export function say(text: string, isError = false): void {
  const id = ++last
  toasts.value = [...toasts.value.slice(1 - most), { id, text, isError }]
  setTimeout(() => drop(id), isError ? errorMs : shownMs)
}

export function drop(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** Does something for the person, and says why where it fails; whether it was done. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done) say(done)
    return true
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true)
    return false
  }
}

/** The same of what is on the screen; where that changed meanwhile, what changed is shown. */
export async function decided(
  work: () => Promise<unknown>,
  done: string,
  onStale: () => Promise<void>,
): Promise<boolean> {
  let isStale = false
  const isDone = await attempt(async () => {
    try {
      await work()
    } catch (error) {
      isStale = error instanceof Refused && (error.status === 409 || error.status === 404)
      throw error
    }
  }, done)
  if (isStale) await onStale()
  return isDone
}
