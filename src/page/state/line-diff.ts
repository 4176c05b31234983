/** What differs between two texts, line by line. */

interface DiffLine {
  sign: ' ' | '-' | '+'
  text: string
}

/** More is told as all new: to compare it would take the page too long. */
const mostLines = 1500

export function diffLines(old: string, fresh: string): DiffLine[] {
  const [before, after] = [old.split('\n'), fresh.split('\n')]
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const same = (lines: string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }))
  const middle = between(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  )
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))]
}

/** By the longest common part. */
function between(before: string[], after: string[]): DiffLine[] {
  const gone = before.map((text): DiffLine => ({ sign: '-', text }))
  const come = after.map((text): DiffLine => ({ sign: '+', text }))
  if (before.length === 0 || after.length === 0) return [...gone, ...come]
  if (before.length > mostLines || after.length > mostLines) return [...gone, ...come]
  const width = after.length + 1
  const common = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
    }
  }
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const isSame = i < before.length && j < after.length && before[i] === after[j]
    const isGone =
      j >= after.length ||
      (i < before.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    if (isSame) {
      lines.push({ sign: ' ', text: before[i] ?? '' })
      i++
      j++
    } else if (isGone) lines.push({ sign: '-', text: before[i++] ?? '' })
    else lines.push({ sign: '+', text: after[j++] ?? '' })
  }
  return lines
}

/** So many lines are shown on either side of what changed. */
const around = 3

/** The same with how many lines instead of those that are far from every change. */
export function folded(lines: DiffLine[]): (DiffLine | number)[] {
  const isNear = lines.map(() => false)
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== ' ') isNear.fill(true, Math.max(0, index - around), index + around + 1)
  }
  const shown: (DiffLine | number)[] = []
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear[index]) shown.push(line)
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1
    else shown.push(1)
  }
  return shown
}
