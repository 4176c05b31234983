/** Notes and edits made up at random: what is asked for is there, and what is not named keeps its bytes. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../../test/support/parts.ts'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { type Pair, pairsOf, sourceOf } from '../../../test/support/vault/note-pieces.ts'
import { type RandomNote, randomNote } from '../../../test/support/vault/random-notes.ts'
import { RandomYaml } from '../../../test/support/vault/random-yaml.ts'
import { parseFrontMatter } from './front-matter.ts'
import { editNote } from './front-matter-edit.ts'
import { splitNote } from './note-text.ts'

const cases = isLong ? 100_000 : 500

function read(text: string) {
  const parts = splitNote(text)
  return { parts, frontMatter: parseFrontMatter(parts) }
}

const textOf = ({ bom, open, pieces, close, body }: RandomNote) =>
  bom + open + pieces.map(sourceOf).join('') + close + body

const valuesOf = ({ pieces }: RandomNote): Record<string, unknown> =>
  Object.fromEntries(pairsOf(pieces).map(({ key, value }) => [key, value]))

/** Some values changed, some gone, some new, in another order. */
function edited(values: Record<string, unknown>, yaml: RandomYaml): Record<string, unknown> {
  const kept = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (yaml.chance(0.15)) return []
    return [[key, yaml.chance(0.2) ? yaml.json() : value]]
  })
  const added = yaml.several(3, (): [string, unknown] => [yaml.text(), yaml.json()])
  const isNew = ([key]: [string, unknown]) => !Object.hasOwn(values, key)
  return Object.fromEntries([...kept.toSorted(() => yaml.below(3) - 1), ...added.filter(isNew)])
}

/** The keys whose pairs may change: those that were named, and those whose alias leads to one. */
function touched(note: RandomNote, wanted: Record<string, unknown>): Set<string> {
  const keys = new Set<string>()
  for (const { key, value } of pairsOf(note.pieces)) {
    const isNamed = !Object.hasOwn(wanted, key) || !isDeepStrictEqual(wanted[key], value)
    if (isNamed || keys.has(note.links.get(key) ?? key)) keys.add(key)
  }
  return keys
}

/** What must be in the result as it was, in this order; of lines, each run without a break. */
function keptRuns(note: RandomNote, wanted: Record<string, unknown>): string[] {
  const holes = touched(note, wanted)
  const runs = ['']
  for (const [index, piece] of note.pieces.entries()) {
    const isText = typeof piece === 'string'
    const above = pairsOf(note.pieces.slice(0, index))
    const isMissing = isText && (note.isBraced || isSwallowed(piece, above, wanted))
    if (isMissing || (!isText && holes.has(piece.key))) runs.push('')
    else runs.push((runs.pop() ?? '') + sourceOf(piece))
  }
  return runs
}

/** A block above a pair that goes would take the blanks below that pair for its own. */
function isSwallowed(piece: string, above: Pair[], wanted: Record<string, unknown>): boolean {
  const isKept = ({ key }: Pair) => Object.hasOwn(wanted, key)
  const last = above.at(-1)
  const kept = above.findLast(isKept)
  return /^\s/.test(piece) && last !== kept && (kept?.source.includes('|') ?? false)
}

function lostRun(runs: string[], text: string): string | undefined {
  let at = 0
  return runs.find((run) => {
    const found = text.indexOf(run, at)
    at = found + run.length
    return found === -1
  })
}

/** What is wrong with an edit of a note; nothing if it is as it should be. */
function problemWith(note: RandomNote, wanted: Record<string, unknown>, body: string) {
  const text = textOf(note)
  const old = read(text)
  if (!isDeepStrictEqual(old.frontMatter.values, valuesOf(note)))
    return { misread: old.frontMatter.values }
  if (editNote(old, valuesOf(note), note.body) !== text) return 'it changes by being written back'
  const result = editNote(old, wanted, body)
  const found = read(result)
  if (!isDeepStrictEqual(found.frontMatter.values, wanted)) return { result, wrong: 'values' }
  if (found.parts.body !== body || found.parts.bom !== note.bom) return { result, wrong: 'body' }
  if (found.parts.block === null) return Object.keys(wanted).length > 0 ? { result } : undefined
  const lost = lostRun(keptRuns(note, wanted), result)
  if (lost !== undefined) return { result, lost }
  const isEvery = /\r\n/.test(note.open) && /(?<!\r)\n/.test(found.parts.block.yaml)
  return isEvery ? { result, wrong: 'line ends' } : undefined
}

/** An error in words, so that the report of a case holds all that is known. */
function attempt(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return String(error)
  }
}

describe('notes made up at random', () => {
  it(`survive ${cases} edits made up at random`, { timeout: 60_000 + cases * 30 }, () => {
    const random = seededRandom()
    const yaml = new RandomYaml(random)
    for (let index = 0; index < cases; index++) {
      const note = randomNote(random)
      const wanted = edited(valuesOf(note), yaml)
      const body = yaml.pick([note.body, note.body, 'New.\n', '---\n', ''])
      const problem = attempt(() => problemWith(note, wanted, body))
      if (problem === undefined) continue
      expect.fail(JSON.stringify({ index, text: textOf(note), wanted, body, problem }, null, 1))
    }
  })

  it('would be found damaged by an edit that writes everything anew', () => {
    const random = seededRandom()
    const notes = Array.from({ length: 100 }, () => randomNote(random))
    const damaged = notes.filter((note) => {
      const values = valuesOf(note)
      const anew = editNote(undefined, values, note.body)
      return lostRun(keptRuns(note, values), anew) !== undefined
    })
    expect(damaged.length).toBeGreaterThan(50)
  })
})
