/** Notes that prove themselves: their front matter holds a checksum of their body. */
import { createHash } from 'node:crypto'

export interface ProvenNote {
  frontmatter: { version: string; sum: string }
  body: string
}

const sumOf = (version: string, body: string) =>
  createHash('sha256').update(`${version}\0${body}`).digest('hex')

/** Every line names its version, so that a mixture of two is seen as one. */
export function provenNote(version: string, length: number): ProvenNote {
  const line = `this is of version ${version}\n`
  const body = line.repeat(Math.ceil(length / line.length))
  return { frontmatter: { version: `v${version}`, sum: sumOf(version, body) }, body }
}

/** The version of a text that is whole, to its last byte. */
export function provenVersion(text: string): string | undefined {
  const [, version = '', sum, body = ''] =
    /^---\nversion: v(\d+)\nsum: "?([0-9a-f]{64})"?\n---\n([\s\S]*)$/.exec(text) ?? []
  return sum === sumOf(version, body) ? version : undefined
}
