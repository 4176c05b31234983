/** What a command prints, written at once and whole: an answer cut short by a full pipe would be lost mail. */
import { fstatSync, writeSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { wantsColour, withFirstWord, withHeadings, withMarks, withState } from './colour.ts'
import { plain, table } from './table.ts'

/** @param ending for what goes on in the same line. */
export const print = (text: string, ending = '\n'): void => printTo(1, text, ending)
export const printJson = (value: unknown): void => print(jsonLine(value))

/** What could steer a terminal and JSON does not escape is escaped too: the value is the same. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
export const printError = (text: string): void => printTo(2, text, '\n', withFirstWord)

/** What went wrong: in words, or as JSON where JSON was asked for, on stderr all the same. */
export function printFailure(error: AgentMailError, isJson: boolean): void {
  if (isJson) {
    // The names in JSON tell of what a caller can do something about; here every code is told.
    const code = error.code === 'internal' ? error.json.error : error.code
    printError(jsonLine({ ...error.json, error: code }))
  } else {
    // An invalid status is answered in the words of the tool alone.
    printError(error.code === 'invalid_status' ? error.text : `error: ${error.text}`)
  }
}

/** A page with headings. */
export const printHelp = (text: string, fd: 1 | 2 = 1): void =>
  printTo(fd, text, '\n', withHeadings)

/** Lines of a check-up, each with its mark. */
export const printChecks = (text: string): void => printTo(1, text, '\n', withMarks)

/** @param isFirst false where the rows go on below others. */
export function printTable(header: string[], rows: string[][], isFirst = true): void {
  const isColoured = isTerminal(1) && wantsColour()
  const lines = isColoured ? table(header, rows, withState) : table(header, rows)
  write(1, `${isFirst ? lines : lines.slice(lines.indexOf('\n') + 1)}\n`)
}

/** As it is; but what agents wrote cannot steer a terminal, and colour is ours alone. */
function printTo(
  fd: 1 | 2,
  text: string,
  ending = '\n',
  coloured?: (text: string) => string,
): void {
  const isShown = isTerminal(fd)
  const harmless = isShown ? plain(text) : text
  const shown = isShown && coloured && wantsColour() ? coloured(harmless) : harmless
  write(fd, shown.endsWith(ending) ? shown : `${shown}${ending}`)
}

/** A unified diff, in colour on a terminal where that is wanted. */
export function printDiff(text: string, isColoured: boolean): void {
  const harmless = isTerminal(1) ? plain(text) : text
  const paint = (code: number) => (found: string) => `\u001b[${code}m${found}\u001b[0m`
  const shown = harmless
    .replace(/^\+.*$/gm, paint(32))
    .replace(/^-.*$/gm, paint(31))
    .replace(/^@@.*$/gm, paint(36))
  write(1, `${isColoured && isTerminal(1) ? shown : harmless}\n`)
}

/** Without node:tty, which takes a while to load. What else is a device keeps nothing. */
function isTerminal(fd: 1 | 2): boolean {
  try {
    return fstatSync(fd).isCharacterDevice()
  } catch {
    return false // it is closed
  }
}

/** Puts a text in the place of the line that the cursor is on; an empty one clears it. */
export const rewriteLine = (text: string): void => write(2, `\r${plain(text)}\u001b[K`)

/** Those whose reader has gone, as in `… | head`. That is no error: the rest is written to nobody. */
const unread = new Set<number>()

/** Whether it is worth going on where a command has no end of its own, or a far one. */
export const isRead = (): boolean => !unread.has(1)

/** Not through process.stdout: its writes may be left undone at exit, and to load it takes 3 ms. */
function write(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length && !unread.has(fd); ) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      if (hasCode(error, 'EPIPE', 'ECONNRESET')) unread.add(fd)
      else if (!hasCode(error, 'EAGAIN')) throw unwritable(error)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) // full, and somebody has set it not to block
    }
  }
}

/** Perhaps the disk that the answer goes to is full. */
function unwritable(cause: unknown): AgentMailError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown reason'
  return new AgentMailError('unwritable', `the answer could not be written (${code})`)
}
