/** Where a watcher of all projects is: the last entry of each journal that it was told, as a text. */
import type { Coordination } from '../../coordination/coordination.ts'

/** The last entry that was told of each project, by key; none of a project that is not there. */
export type Positions = ReadonlyMap<string, number>

const longest = 8 << 10
/** An empty text would mean that nothing was said. */
const none = '-'
/** Of more projects than can be named: whoever comes back with it asks anew for everything. */
const tooLong = '*'

export function cursorText(positions: Positions): string {
  const places = [...positions].map(([key, entry]) => `${encodeURIComponent(key)}:${entry}`)
  const text = places.join(',') || none
  return text.length > longest ? tooLong : text
}

/** Nothing where it cannot be read. */
export function positionsIn(text: string): Positions | undefined {
  if (text === none) return new Map()
  if (text.length > longest) return undefined
  const positions = new Map<string, number>()
  for (const place of text.split(',')) {
    const [, encoded, digits] = /^([^:,]*):([1-9]\d{0,14})$/.exec(place) ?? []
    const key = encoded === undefined ? undefined : decoded(encoded)
    if (key === undefined || positions.has(key)) return undefined
    positions.set(key, Number(digits))
  }
  return positions
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whoever watches from it on is told all that happens from now on. */
export const cursorNow = async ({ journals }: Coordination): Promise<string> =>
  cursorText(await journals.lastEntries())
