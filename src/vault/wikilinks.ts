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
  const code = codeRanges(text)
  let canBeNamed = true
  const result = text.replace(wikilink, (link, target: string, rest: string, at: number) => {
    if (target === '' || code.some(([start, end]) => at >= start && at < end)) return link
    const from = isMoved ? move.oldPath : path
    if (meant(target, from, move.before) !== move.oldPath) return link
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
    return paths.find((path) => key(path) === there)
  }
  const name = wanted.replace(/^\//, '')
  const fitting = paths.filter((path) => key(path) === name || key(path).endsWith(`/${name}`))
  const beside = key([...folder, name].join('/'))
  return (
    fitting.find((path) => key(path) === beside) ??
    fitting.find((path) => key(path) === name) ??
    fitting.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]
  )
}

function resolved(folder: string[], target: string): string {
  const names = [...folder]
  for (const name of target.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '.') names.push(name)
  }
  return names.join('/')
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
      for (const { index, 0: span } of line.matchAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g)) {
        ranges.push([at + index, at + index + span.length])
      }
    }
    at += line.length + 1
  }
  if (fence) ranges.push([fence.start, text.length])
  return ranges
}
