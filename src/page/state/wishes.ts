/** What one wishes of the page on this browser: single keys, notices; kept here and nowhere else. */
import { effect, signal } from '@preact/signals'

function kept(name: string, usual: boolean) {
  const key = `agentmail.${name}`
  const wish = signal(read(key) ?? usual)
  effect(() => write(key, wish.value))
  return wish
}

function read(key: string): boolean | undefined {
  try {
    const value = localStorage.getItem(key)
    return value === null ? undefined : value === 'yes'
  } catch {
    return undefined // a browser that keeps nothing
  }
}

function write(key: string, value: boolean): void {
  try {
    localStorage.setItem(key, value ? 'yes' : 'no')
  } catch {}
}

export const singleKeys = kept('keys', true)
export const wantsNotices = kept('notices', false)
