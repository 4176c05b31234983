/** Tables and texts for a person's terminal. What agents wrote cannot steer it. */
import { steering } from '../system/text.ts'

/** A cell as it is shown, at its width; of the header itself, `heading` is nothing. */
type Paint = (cell: string, heading: string | undefined) => string

/** Columns as wide as they need to be; the last one is cut at nothing, nor is what a person gives to the next command. */
export function table(header: string[], rows: string[][], paint: Paint = (cell) => cell): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell, column) =>
      column === row.length - 1 || header[column] === 'ID' ? line(cell) : cutAt(line(cell), 80),
    ),
  )
  const widths = header.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  return cells
    .map((row, index) => {
      const last = row.findLastIndex((cell) => cell.trim() !== '')
      return row
        .slice(0, last + 1)
        .map((cell, column) => {
          const wide = column === last ? cell.trimEnd() : cell.padEnd(widths[column] ?? 0)
          return paint(wide, index === 0 ? undefined : header[column])
        })
        .join('  ')
    })
    .join('\n')
}

export function cutAt(text: string, limit: number): string {
  const characters = [...text]
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`
}

/** On one line. */
export const line = (text: string): string => plain(text).replace(/\s*[\n\t\u2028\u2029]\s*/g, ' ')

/** Without control characters, which could move the cursor or rewrite what stands above. */
export const plain = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(steering, '\ufffd')

/** In the time zone of the reader: 2026-01-15 10:02:15 */
export function localTime(time: string): string {
  const date = new Date(time)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}
