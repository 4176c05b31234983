/** Asks the server: reads, writes that carry the token of this page, and errors in the server's own words. */
import { signal } from '@preact/signals'
import type { Boot } from '../../person/shapes.ts'

/** Who the server is and who one is there; nothing until it has answered. */
export const boot = signal<Boot | undefined>(undefined)
/** Whether the server wants a login before it says anything. */
export const isLoggedOut = signal(false)

/** The doctor looks at everything. */
const patienceMs = 65_000

const unreachable = 'The server does not answer. It is tried again by itself.'
const unanswered =
  'The server does not answer, so nobody knows whether it was done. Try again when it is back.'

export type Query = Record<string, string | number | null | undefined>

export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>

  constructor(status: number, message: string, data: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.code = typeof data.code === 'string' ? data.code : ''
    this.details = data
  }
}

/** @example await get<{ agents: AgentView[] }>('/agents', { project: 'api' }) */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return again(() => exchange<T>(addressOf(path, query), {}, signal))
}

export function post<T>(path: string, body: object = {}): Promise<T> {
  return again(() => write<T>(path, body))
}

const write = <T>(path: string, body: object): Promise<T> =>
  exchange<T>(addressOf(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-agentmail-page': boot.value?.csrf ?? '' },
    body: JSON.stringify(body),
  })

export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value != null && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `/api/page${path}${given.length > 0 ? `?${search}` : ''}`
}

let entering: Promise<Boot> | undefined

/** Says who one is to a server that does not know it yet, or has forgotten it, as after a restart. */
export function enter(): Promise<Boot> {
  entering ??= sayWho().finally(() => {
    entering = undefined
  })
  return entering
}

async function sayWho(): Promise<Boot> {
  try {
    const known = await exchange<Boot>('/api/page')
    const who = boot.value?.who ?? known.who
    boot.value = known
    isLoggedOut.value = false
    const isRenamed = who !== known.who
    // Not as other writes, which wait until this is over.
    if (isRenamed && !known.has_token) await rename(who, write).catch(() => {})
    return known
  } catch (error) {
    if (error instanceof Refused && error.status === 401) isLoggedOut.value = true
    throw error
  }
}

export const beCalled = (who: string): Promise<void> => rename(who, post)

async function rename(name: string, tell: typeof write): Promise<void> {
  const named = await tell<{ who: string }>('/name', { name })
  if (boot.value) boot.value = { ...boot.value, who: named.who }
}

async function again<T>(ask: () => Promise<T>): Promise<T> {
  if (!boot.value) await enter()
  try {
    // Whoever has no session yet is refused everything else.
    if (boot.value === undefined) await enter()
    return await ask()
  } catch (error) {
    // 403: the server was started anew, and the token of this page is that of the one before.
    const isForgotten = error instanceof Refused && (error.status === 401 || error.code === 'csrf')
    if (!isForgotten) throw error
    await enter()
    return ask()
  }
}

async function exchange<T>(
  address: string,
  init: RequestInit = {},
  signal?: AbortSignal,
): Promise<T> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, patienceMs)
  signal?.addEventListener('abort', end)
  try {
    const response = await fetch(address, { ...init, signal: ending.signal })
    if (response.ok) return await response.json()
    const { error = {} } = await response.json().catch(() => ({}))
    const isWorded = typeof error.message === 'string'
    const words = isWorded ? error.message : `The server said ${response.status}.`
    throw new Refused(response.status, words, error.data ?? {})
  } catch (error) {
    if (error instanceof Refused || signal?.aborted) throw error
    throw new Refused(0, init.method === 'POST' ? unanswered : unreachable)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}
