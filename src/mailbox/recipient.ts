/** A recipient: who it is, how it is, where its name was used, and how all that stands in a line. */
import { AgentMailError } from '../errors.ts'
import { rfc3339, systemClock } from '../system/clock.ts'
import { isRecord, jsonOf } from '../system/text.ts'

export const statuses = ['ready', 'work', 'offline'] as const
export type Status = (typeof statuses)[number]

export interface Recipient {
  name: string
  /** What the agent or its hooks said last; nothing where it has only registered. */
  status?: Status
  notified: boolean
  /** Unix time in milliseconds. */
  last_read_at?: number
  updated_at?: string
  notified_at?: string
  /** When it was first told of the mail that waits, and the id of the newest of that mail. */
  notified_since?: string
  notified_id?: string
  /** The same of mail that is in no mailbox. */
  notified_number?: number
  /** When it said its status, and from which pane. */
  status_at?: string
  status_pane?: string | null
  /** The tmux pane it last worked from, `%5`, and the process id of its tmux server; null for an agent outside tmux. */
  pane?: string | null
  server?: number | undefined
  /** Where its name is from. */
  source?: NameSource
  /** The other panes from which the name was used, the last of them last. */
  also?: UsedPane[]
  /** Since when nobody has this name. Its mailbox may be there still. */
  left_at?: string
}

/** A tmux pane that a name was used from. */
export interface UsedPane extends Registration {
  pane: string
  at: string
}

/** AGENTMAIL_AGENT, `agentmail name`, or the name of a tmux window. */
const nameSources = ['environment', 'given', 'window'] as const
type NameSource = (typeof nameSources)[number]

/** Where an agent is, and where its name is from. */
export interface Registration {
  pane: string | null
  server?: number | undefined
  source: NameSource
}

/** Whether a name was given to its agent, and holds whatever tmux calls its window. */
export const isNameGiven = ({ source, pane }: Recipient): boolean =>
  source === 'environment' || source === 'given' || pane === null

/** So many panes are remembered of a name. */
const mostPlaces = 8

export function checkStatus(status: string): Status {
  const known = statuses.find((one) => one === status)
  if (known) return known
  throw new AgentMailError('invalid_status', invalidStatus(status))
}

export const invalidStatus = (status: string) =>
  `Invalid status: ${status}. Valid: ${statuses.join(', ')}`

export const newcomer = (name: string): Recipient => ({ name, notified: false })

/** The panes that a name was used from, the last one last. */
export function panesUsed({ pane, server, source, updated_at, also }: Recipient): UsedPane[] {
  if (typeof pane !== 'string' || source === undefined) return also ?? []
  return [...(also ?? []), { pane, server, source, at: updated_at ?? '' }]
}

/** It is there, and was at these panes before. */
export function withPlaces(
  { left_at: _, also: __, ...recipient }: Recipient,
  also: UsedPane[],
): Recipient {
  return also.length > 0 ? { ...recipient, also: also.slice(-mostPlaces) } : recipient
}

export function withoutPlace(recipient: Recipient): Recipient {
  const { pane: _, server: __, source: ___, also: ____, ...rest } = recipient
  return rest
}

/** Nobody has its name from now on. */
export const left = (recipient: Recipient): Recipient => ({
  ...withoutPlace(recipient),
  left_at: rfc3339(systemClock.now()),
})

export function recipientIn(text: string): Recipient | undefined {
  const value = jsonOf(text)
  if (!isRecord(value)) return undefined
  const { recipient, ...rest } = value
  const name = rest.name ?? recipient
  if (typeof name !== 'string' || name === '') return undefined
  const { status, pane, status_pane, source, also, ...others } = rest
  const { last_read_at, notified_number, server, ...more } = others
  const { updated_at, notified_at, notified_since, notified_id, status_at, left_at, ...unknown } =
    more
  const texts = { updated_at, notified_at, notified_since, notified_id, status_at, left_at }
  const numbers = { last_read_at, notified_number, server }
  const known = statuses.find((one) => one === status)
  const from = nameSources.find((one) => one === source)
  return {
    ...unknown,
    name,
    ...(known && { status: known }),
    notified: rest.notified === true,
    ...Object.fromEntries(Object.entries(numbers).filter(([, one]) => typeof one === 'number')),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string')),
    ...(isPane(pane) ? { pane } : {}),
    ...(from && { source: from }),
    ...(Array.isArray(also) && { also: also.flatMap(placeOf) }),
    ...(isPane(status_pane) ? { status_pane } : {}),
  }
}

function placeOf(value: unknown): UsedPane[] {
  if (!isRecord(value) || typeof value.pane !== 'string') return []
  const { pane, server, source, at } = value
  const from = nameSources.find((one) => one === source)
  if (!from || typeof at !== 'string') return []
  const numberOf = (one: unknown) => (typeof one === 'number' ? one : undefined)
  return [{ pane, server: numberOf(server), source: from, at }]
}

const isPane = (value: unknown): value is string | null =>
  typeof value === 'string' || value === null

export function lineText(recipient: Recipient): string {
  const { name, status, notified, last_read_at, updated_at, notified_at, ...rest } = recipient
  return JSON.stringify({ name, status, notified, last_read_at, updated_at, notified_at, ...rest })
}
