/** The place of a message or mail in one list of all projects, newest first, and how a caller names it. */
import { AgentMailError } from '../../errors.ts'

export interface MessagePlace {
  /** In microseconds. */
  us: number
  project: string
  id: string
}

export const cursorOf = ({ us, project, id }: MessagePlace): string =>
  Buffer.from(JSON.stringify([us, project, id])).toString('base64url')

export function placeOf(cursor: string): MessagePlace {
  const [us, project, id] = partsOf(cursor)
  if (typeof us === 'number' && typeof project === 'string' && typeof id === 'string') {
    return { us, project, id }
  }
  throw new AgentMailError(
    'invalid_request',
    'before and after must be the cursor of a message',
    'Take it from a message as this gave it.',
  )
}

function partsOf(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Those of one moment by their project and id. */
export function inNewestOrder(one: MessagePlace, other: MessagePlace): number {
  if (one.us !== other.us) return other.us - one.us
  if (one.project !== other.project) return one.project < other.project ? -1 : 1
  if (one.id === other.id) return 0
  return one.id < other.id ? -1 : 1
}
