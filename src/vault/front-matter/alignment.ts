/** Which entries of a list stayed, and where it changed between them. */

/** Old entries from … to became the wanted ones; either may be none. */
export interface Change {
  from: number
  to: number
  wantedFrom: number
  wantedTo: number
}

/** Beyond this, only what is equal at both ends counts as having stayed. */
const maxCells = 250_000

/** @example alignment(['a', 'b'], ['a', 'x', 'b']) // [{ from: 1, to: 1, wantedFrom: 1, wantedTo: 2 }] */
export function alignment(old: unknown[], wanted: unknown[]): Change[] {
  const [a, b] = [old.map(textOf), wanted.map(textOf)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let [aEnd, bEnd] = [a.length, b.length]
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--
    bEnd--
  }
  const kept = (aEnd - start) * (bEnd - start) > maxCells ? [] : common(a, b, start, aEnd, bEnd)
  const changes: Change[] = []
  let [from, wantedFrom] = [start, start]
  for (const [to, wantedTo] of [...kept, [aEnd, bEnd] as const]) {
    if (to > from || wantedTo > wantedFrom) changes.push({ from, to, wantedFrom, wantedTo })
    from = to + 1
    wantedFrom = wantedTo + 1
  }
  return changes
}

const textOf = (value: unknown): string => JSON.stringify(value)

/** The places of a longest common subsequence. */
function common(
  a: string[],
  b: string[],
  start: number,
  aEnd: number,
  bEnd: number,
): [number, number][] {
  const width = bEnd - start + 1
  const lengths = new Uint32Array((aEnd - start + 1) * width)
  const at = (i: number, j: number) => (i - start) * width + (j - start)
  const length = (i: number, j: number) => lengths[at(i, j)] ?? 0
  for (let i = aEnd - 1; i >= start; i--) {
    for (let j = bEnd - 1; j >= start; j--) {
      lengths[at(i, j)] =
        a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const kept: [number, number][] = []
  for (let [i, j] = [start, start]; i < aEnd && j < bEnd; ) {
    if (a[i] === b[j]) kept.push([i++, j++])
    else if (length(i + 1, j) >= length(i, j + 1)) i++
    else j++
  }
  return kept
}
