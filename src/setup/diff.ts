/** What a change does to a text, as a unified diff for a person's eyes: what looks like a secret is masked. */
import { MaskedLines } from './masked-lines.ts'

const context = 3
/** Beyond so many lines that differ, all of them are shown as replaced. */
const mostCompared = 2000
const longestLine = 2000

interface Line {
  mark: ' ' | '-' | '+'
  text: string
}

/** Nothing where the two are the same. A text that is not there has no lines. */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  if (before === after) return ''
  const lines = compared(linesOf(before), linesOf(after))
  const head = [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
  ]
  return [...head, ...hunksOf(masked(lines, before))].join('\n')
}

function linesOf(text = ''): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`)
  return lines
}

function compared(before: string[], after: string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++
  const same = (texts: string[]) => texts.map((text): Line => ({ mark: ' ', text }))
  return [
    ...same(before.slice(0, start)),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ]
}

/** By the longest lines in common. */
function changed(before: string[], after: string[]): Line[] {
  const [rows, columns] = [before.length, after.length]
  if (rows > mostCompared || columns > mostCompared) {
    return [...before.map(removed), ...after.map(added)]
  }
  const width = columns + 1
  const lengths = new Uint16Array((rows + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (row < rows || column < columns) {
    const [old = '', now = ''] = [before[row], after[column]]
    if (row < rows && column < columns && old === now) {
      lines.push({ mark: ' ', text: old })
      row++
      column++
    } else if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(old))
      row++
    } else {
      lines.push(added(now))
      column++
    }
  }
  return lines
}

const removed = (text: string): Line => ({ mark: '-', text })
const added = (text: string): Line => ({ mark: '+', text })

function hunksOf(lines: Line[]): string[] {
  const isNear = lines.map(() => false)
  lines.forEach(({ mark }, index) => {
    if (mark !== ' ') isNear.fill(true, Math.max(0, index - context), index + context + 1)
  })
  const shown: string[] = []
  let [old, now] = [1, 1]
  for (let index = 0; index < lines.length; ) {
    const next = isNear.indexOf(!isNear[index], index)
    const part = lines.slice(index, next === -1 ? lines.length : next)
    const olds = part.filter(({ mark }) => mark !== '+').length
    const nows = part.filter(({ mark }) => mark !== '-').length
    if (isNear[index]) {
      shown.push(`@@ -${spanOf(old, olds)} +${spanOf(now, nows)} @@`, ...part.map(lineShown))
    }
    old += olds
    now += nows
    index += part.length
  }
  return shown
}

const spanOf = (start: number, count: number): string =>
  `${count === 0 ? start - 1 : start},${count}`

const lineShown = ({ mark, text }: Line): string =>
  mark + (text.length > longestLine ? `${text.slice(0, longestLine)}…` : text)

/** Neighbours of our entries may hold keys: nobody wants them on a screen or in a log. What was not there before is ours. */
function masked(lines: Line[], before = ''): Line[] {
  const [old, now] = [new MaskedLines(), new MaskedLines()]
  const isOurs = (text: string) => !before.includes(text.trim())
  return lines.map(({ mark, text }) => {
    const plain = text.replaceAll('\r', '')
    const shownNow = mark === '-' ? '' : now.shown(plain, mark === '+' ? isOurs : undefined)
    return { mark, text: mark === '+' ? shownNow : old.shown(plain) }
  })
}
