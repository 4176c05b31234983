/** What is checked before a person's word about a draft is recorded. */
import { AgentMailError } from '../../errors.ts'
import type { Note } from '../../vault/notes.ts'

/** An editor that saves again and again, or another person who decides at the same moment. */
export const mostTries = 20

/** Texts of a person that stand in a record and in a note, each on one line. */
export function oneLine(what: string, text: string, limit: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (line !== '' && line.length <= limit) return line
  throw new AgentMailError(
    'invalid_request',
    line === '' ? `${what} is empty` : `${what} is longer than ${limit} characters`,
  )
}

const ended: Record<string, string> = {
  done: 'it is done already',
  sent: 'it was sent already',
  unknown: 'it may have been sent already',
}

/** Nothing more can be said about a mail that has left, or may have. */
export function refuseEnded({ path, frontmatter: { status } }: Note): void {
  const how = typeof status === 'string' && Object.hasOwn(ended, status) ? ended[status] : undefined
  if (how === undefined && topOf(path) !== 'Done') return
  throw new AgentMailError(
    'invalid_request',
    `${path}: ${how ?? 'what is in Done/ is done'}`,
    'If it was not sent after all, set its status to pending_approval and move it to Drafts/.',
  )
}

export const topOf = (path: string): string => path.split('/')[0] ?? ''

/** Whether a note was changed or moved by somebody else at this moment, so that all is to be looked at anew. */
export const isOvertaken = (error: unknown): boolean =>
  AgentMailError.is(error) &&
  (error.code === 'not_found' || (error.code === 'conflict' && error.details?.etag !== undefined))
