/** The names that somebody most likely meant who wrote another. */

const mostNamed = 3

/**
 * @returns the nearest first; nothing where none is near.
 * @example nearest('planer', ['coder', 'planner']) // ['planner']
 */
export function nearest(written: string, names: Iterable<string>): string[] {
  const wanted = folded(written)
  const near = [...new Set(names)]
    .map((name) => ({ name, far: distance(wanted, folded(name)) }))
    .filter(({ name, far }) => far <= tolerance(wanted, folded(name)))
  near.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  return near.slice(0, mostNamed).map(({ name }) => name)
}

/** `. Did you mean a, b or c?`, or nothing. */
export function didYouMean(written: string, names: Iterable<string>): string {
  const found = nearest(written, names)
  const last = found.pop()
  if (last === undefined) return ''
  return `. Did you mean ${found.length > 0 ? `${found.join(', ')} or ${last}` : last}?`
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase().slice(0, 100)

/** One slip in three characters; more where what was written is the start of a name, or has one as its first half. */
function tolerance(wanted: string, name: string): number {
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted]
  const isStart = short.length >= 2 && long.startsWith(short)
  if (isStart && (short === wanted || 2 * short.length >= long.length)) {
    return long.length - short.length
  }
  return short === '' ? -1 : Math.max(1, Math.floor(long.length / 3))
}

/** How many characters must be added, left out, changed or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
