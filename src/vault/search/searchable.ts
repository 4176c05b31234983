/** What of a note can be found: its path, its titles, the values of its front matter, and its body. */
import { AgentMailError } from '../../errors.ts'
import { decodeNote } from '../front-matter/note-text.ts'
import { fold } from './fold.ts'
import { readFrontMatter } from './front-matter-words.ts'

export interface Searchable {
  path: string
  /** The path without its ending, and what the note calls itself, each on a line. */
  title: string
  /** The values of the front matter, and the body. */
  text: string
  /** Where in the text the body begins. */
  bodyStart: number
}

/** @param bytes missing where the note is too large to be read */
export function searchable(path: string, bytes: Buffer | undefined): Searchable {
  const name = path.slice(0, -'.md'.length)
  const note = bytes && decoded(bytes)
  if (note === undefined) return { path, title: name, text: '', bodyStart: 0 }
  const { titles, values, body } = readFrontMatter(note)
  const heading = /^# (.+)$/m.exec(body)?.[1]
  const title = [name, ...titles, ...(heading === undefined ? [] : [heading])].join('\n')
  const before = values.length === 0 ? '' : `${values.join('\n')}\n`
  return { path, title, text: before + body, bodyStart: before.length }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return decodeNote(bytes)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return undefined // not UTF-8
  }
}

/** The same as it is compared. */
export interface Folded {
  path: string
  title: string
  text: string
}

export const folded = ({ path, title, text }: Searchable): Folded => ({
  path: fold(path),
  title: fold(title),
  text: fold(text),
})
