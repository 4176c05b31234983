/** Wikilinks of a note's text: which note each means, and how it is written anew. */

/** `[[target#heading|shown]]`; in a table the bar is written `\|`. */
const wikilink = /\[\[([^[\]|#^\n]*?)((?:[#^][^[\]|\n]*?)?(?:\\?\|[^[\]\n]*)?)\]\]/g

/** Signs that end the target of a link, so that no link can name a note with one. */
const unlinkable = /[[\]#^|]/

/** A note that moves, and those whose names are in question before and after it. */
export interface NoteMove {
  oldPath: string
  newPath: string
  before: string[]
  after: string[]
}

/** Two paths of which one may be meant by a link to the other's name. */
export const nameKey = (path: string): string => key(path).split('/').at(-1) ?? ''

/**
 * The text with each link to the moved note written anew, in the way it was written: by name alone
 * where that is enough, else by the whole path. Nothing where a link cannot name the new place.
 */
export function relinked(text: string, path: string, move: NoteMove): string | undefined {
  const isMoved = path === move.newPath
  const oldName = nameKey(move.oldPath)
  const code = codeRanges(text)
  let passed = 0 // links come in order, and so does code
  let canBeNamed = true
  const result = text.replace(wikilink, (link, target: string, rest: string, at: number) => {
    while ((code[passed]?.[1] ?? at + 1) <= at) passed++
    if (target === '' || (code[passed]?.[0] ?? at + 1) <= at) return link
    const from = isMoved ? move.oldPath : path
    if (nameKey(target.trim()) !== oldName || meant(target, from, move.before) !== move.oldPath) {
      return link
    }
    const isThere = (name: string) => meant(name, path, move.after) === move.newPath
    const name = namesFor(target, move.newPath).find(isThere)
    if (name === undefined) canBeNamed = false
    return name === undefined ? link : `[[${name}${rest}]]`
  })
  return canBeNamed ? result : undefined
}

/** The ways to name the note, the one nearest to how it was named first. */
function namesFor(target: string, path: string): string[] {
  const ending = /\.md$/i.test(target) ? '.md' : ''
  const whole = path.slice(0, -3)
  const name = whole.split('/').at(-1) ?? whole
  const isWhole = target.includes('/')
  const names = isWhole ? [whole] : [target.replace(/\.md$/i, ''), name, whole]
  return names.filter((one) => !unlinkable.test(one)).map((one) => one + ending)
}

/** The note that a link means to Obsidian: by relative path, beside the linking note, by whole path, else the one with the shortest path. */
export function meant(target: string, from: string, paths: string[]): string | undefined {
  const folder = from.split('/').slice(0, -1)
  const wanted = key(target.trim())
  if (/^\.\.?\//.test(wanted)) {
    const there = key(resolved(folder, target.trim()))
    return paths[keysOf(paths).indexOf(there)]
  }
  const name = wanted.replace(/^\//, '')
  const keys = keysOf(paths)
  const beside = key([...folder, name].join('/'))
  const exact = [keys.indexOf(beside), keys.indexOf(name)].find((place) => place !== -1)
  if (exact !== undefined) return paths[exact]
  return paths
    .filter((_, place) => keys[place]?.endsWith(`/${name}`))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]
}

function resolved(folder: string[], target: string): string {
  const names = [...folder]
  for (const name of target.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '.') names.push(name)
  }
  return names.join('/')
}

const knownKeys = new WeakMap<string[], string[]>()

/** There may be very many notes of one name, and as many links. */
function keysOf(paths: string[]): string[] {
  const known = knownKeys.get(paths) ?? paths.map(key)
  knownKeys.set(paths, known)
  return known
}

/** Obsidian tells neither case nor composition of names apart. */
const key = (path: string): string => path.normalize('NFC').toLowerCase().replace(/\.md$/, '')

/** Where code stands: what looks like a link there is none. */
function codeRanges(text: string): [number, number][] {
  const ranges: [number, number][] = []
  let fence: { sign: string; start: number } | undefined
  let at = 0
  for (const line of text.split('\n')) {
    const sign = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence && sign?.startsWith(fence.sign) && line.trim() === sign) {
      ranges.push([fence.start, at + line.length])
      fence = undefined
    } else if (!fence && sign) fence = { sign, start: at }
    else if (!fence) {
      for (const [start, end] of codeSpans(line)) ranges.push([at + start, at + end])
    }
    at += line.length + 1
  }
  if (fence) ranges.push([fence.start, text.length])
  return ranges
}

/** From a run of backticks to the next one of the same length. */
function codeSpans(line: string): [number, number][] {
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: run }) => ({ index, length: run.length }))
  const next: (number | undefined)[] = []
  const seen = new Map<number, number>()
  for (let place = runs.length - 1; place >= 0; place--) {
    const length = runs[place]?.length ?? 0
    next[place] = seen.get(length)
    seen.set(length, place)
  }
  const spans: [number, number][] = []
  for (let place = 0; place < runs.length; ) {
    const [open, end] = [runs[place], next[place]]
    const close = end === undefined ? undefined : runs[end]
    if (open && close) spans.push([open.index, close.index + close.length])
    place = (close && end !== undefined ? end : place) + 1
  }
  return spans
}
