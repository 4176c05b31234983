/** A note in the pieces it is made of, so that a test can say which byte may change. */

export interface Pair {
  source: string
  key: string
  value: unknown
}

export interface TrickyNote {
  name: string
  text: string
  values: Record<string, unknown>
  bom: string
  open: string
  /** What is between the fences: pairs, and what stands between them. */
  pieces: (string | Pair)[]
  close: string
  body: string
  /** Pairs that must be written out when the named one changes, since their aliases lead to it. */
  tied: Map<string, string[]>
  /** What goes along with the named pair, since the pair above would take it for its own. */
  swallowed: Map<string, string>
}

type Rest = Partial<Omit<TrickyNote, 'name' | 'text' | 'values' | 'pieces'>>

export const pair = (source: string, key: string, value: unknown): Pair => ({ source, key, value })

export const sourceOf = (piece: string | Pair): string =>
  typeof piece === 'string' ? piece : piece.source

export const pairsOf = (pieces: (string | Pair)[]): Pair[] =>
  pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece]))

export function note(name: string, pieces: (string | Pair)[], rest: Rest = {}): TrickyNote {
  const defaults = { bom: '', open: '---\n', close: '---\n', body: '# Title\n\nText.\n' }
  const whole = { ...defaults, tied: new Map(), swallowed: new Map(), ...rest }
  return {
    ...whole,
    name,
    pieces,
    text: whole.bom + whole.open + pieces.map(sourceOf).join('') + whole.close + whole.body,
    values: Object.fromEntries(pairsOf(pieces).map(({ key, value }) => [key, value])),
  }
}
