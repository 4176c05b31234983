/** How a note that cannot be read is refused: with what is wrong, and where in the file. */
import { AgentMailError } from '../../errors.ts'

/** As an editor counts them: from 1, in characters. */
export interface Position {
  line: number
  column: number
}

interface Fault extends Position {
  reason: string
}

export const unreadable = (fault: Fault, next: string): AgentMailError =>
  new AgentMailError(
    'parse_error',
    `${fault.reason} (line ${fault.line}, column ${fault.column})`,
    next,
    { details: { ...fault } },
  )

/**
 * @param text the file from its first character (a BOM left out) at least up to the offset.
 * @param what the first thing that is wrong there.
 */
export function unreadableFrontMatter(text: string, offset: number, what: string): AgentMailError {
  const { line, column } = positionIn(text, offset)
  return unreadable(
    { line, column, reason: `the front matter cannot be read: ${what}` },
    'Correct the YAML between the --- lines at the top of the note, then try again.',
  )
}

export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return {
    line: before.split('\n').length,
    column: Array.from(before.slice(lineStart)).length + 1,
  }
}
