/** The parts of a note as text: its byte order mark, its front matter between two fences, its body. */
import { isUtf8 } from 'node:buffer'
import { unreadable, unreadableFrontMatter } from './unreadable.ts'

export interface NoteText {
  bom: '' | '\ufeff'
  /** Nothing where the note does not open with a fence. */
  block: FencedBlock | null
  body: string
}

export interface FencedBlock {
  /** The first fence as written, with its line end. */
  open: string
  /** What is between the fences, with its last line end. */
  yaml: string
  /** The second fence as written, with its line end if it has one. */
  close: string
}

const openFence = /^---[ \t]*\r?\n/
const lineFeed = 0x0a

/** Refuses what is not UTF-8: a replaced byte would be damage as soon as the note is written back. */
export function decodeNote(bytes: Buffer): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  const reason = 'the note cannot be read: it is not UTF-8 text'
  throw unreadable({ ...firstBadByte(bytes), reason }, 'Save the note as UTF-8, then try again.')
}

/** No character spans a line feed, so the first bad line can be found before its first bad character. */
function firstBadByte(bytes: Buffer): { line: number; column: number } {
  for (let line = 1, start = 0; ; line++) {
    const feed = bytes.indexOf(lineFeed, start)
    const end = feed === -1 ? bytes.length : feed
    const row = bytes.subarray(start, end)
    if (!isUtf8(row)) {
      const column = goodCharacters(row) + 1
      return { line, column: line === 1 && hasBom(row) ? column - 1 : column }
    }
    start = end + 1
  }
}

/** How many characters come before the first one that had to be replaced. */
function goodCharacters(row: Buffer): number {
  let count = 0
  let offset = 0
  for (const character of new TextDecoder('utf-8', { ignoreBOM: true }).decode(row)) {
    const written = Buffer.from(character)
    if (!row.subarray(offset, offset + written.length).equals(written)) break
    offset += written.length
    count++
  }
  return count
}

const hasBom = (row: Buffer) => row.subarray(0, 3).equals(Buffer.from('\ufeff'))

/** `---js` and `----` open no block: they are body, like every `---` further down. */
export function splitNote(text: string): NoteText {
  const bom = text.startsWith('\ufeff') ? '\ufeff' : ''
  const rest = text.slice(bom.length)
  const open = openFence.exec(rest)?.[0]
  if (open === undefined) return { bom, block: null, body: rest }
  // A lookbehind, since `^` would also match after a lone CR and after U+2028.
  const closeFence = /(?<=\n)---[ \t]*(?:\r?\n|$)/g
  closeFence.lastIndex = open.length
  const close = closeFence.exec(rest)
  if (!close) throw unreadableFrontMatter(rest, 0, 'the block that opens here is never closed')
  return {
    bom,
    block: { open, yaml: rest.slice(open.length, close.index), close: close[0] },
    body: rest.slice(closeFence.lastIndex),
  }
}

/** The exact inverse of `splitNote`. */
export const joinNote = ({ bom, block, body }: NoteText): string =>
  block ? bom + block.open + block.yaml + block.close + body : bom + body
