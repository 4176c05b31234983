/** Texts of events: an error with its next step on one line, and counts in words. */
import type { AgentMailError } from '../errors.ts'

export function inOneLine({ message, next }: AgentMailError): string {
  const line = (text: string) => text.replace(/\s*\n\s*/g, ' ').trim()
  return next ? `${line(message).replace(/[.:]+$/, '')}. ${line(next)}` : line(message)
}

/** @example counted(1, 'mail') // '1 mail' */
export const counted = (count: number, what: string, many = `${what}s`): string =>
  `${count} ${count === 1 ? what : many}`

const longest = 100

/** What others wrote, short enough for a line. */
export function shown(text: string, otherwise: string): string {
  const characters = [...text.trim()]
  if (characters.length === 0) return otherwise
  return characters.length <= longest
    ? text.trim()
    : `${characters.slice(0, longest - 1).join('')}…`
}
