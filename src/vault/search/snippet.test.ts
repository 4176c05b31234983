/** What is shown of a note that was found. */
import { describe, expect, it } from 'vitest'
import { SearchQuery } from './search-query.ts'
import { folded, searchable } from './searchable.ts'
import { snippetOf } from './snippet.ts'

function shown(query: string, text: string, path = 'note.md'): string {
  const note = searchable(path, Buffer.from(text))
  return snippetOf(new SearchQuery(query), note, folded(note))
}

const filler = 'lorem ipsum dolor sit amet consectetur '.repeat(20)

describe('a snippet', () => {
  it('is the whole of a short note, on one line', () => {
    expect(shown('two', 'one\n\n  two\tthree\n')).toBe('one two three')
  })

  it('shows what was found as it is spelled, with what stands around it', () => {
    for (const [query, word] of [
      ['angstrom', 'Ångström'],
      ['ANGSTROM', 'A\u030angstro\u0308m'],
      ['strasse', 'Straße'],
      ['東京', '東京'],
      ['한국', '한국'.normalize('NFD')],
    ] as const) {
      const snippet = shown(query, `Ünï\u0308 ${filler}${word} ${filler}`)
      expect(snippet).toContain(`amet consectetur ${word} lorem ipsum`)
      expect(snippet).toMatch(/^…\w+ .* \w+…$/)
      expect(snippet.length).toBeGreaterThan(100)
      expect(snippet.length).toBeLessThan(175)
    }
  })

  it('prefers the phrase to a word, and a word to a part of one', () => {
    expect(shown('red fox', `red ${filler} a red\n fox ${filler}`)).toContain('a red fox lorem')
    expect(shown('art', `start ${filler} the art of ${filler}`)).toContain('the art of')
    expect(shown('art', `start ${filler}`)).toMatch(/^start lorem/)
    expect(shown('zzz fox', `${filler} fox`)).toMatch(/^….*fox$/)
  })

  it('shows values of the front matter, never its keys', () => {
    const note = `---\nkey: value\nlist:\n  - first\n---\n${filler}`
    expect(shown('first', note)).toBe('value first')
    expect(shown('note', note)).toMatch(/^lorem ipsum/)
  })

  it('shows the beginning where only the path was found', () => {
    expect(shown('inbox', `\n\n${filler}`, 'Inbox/a.md')).toMatch(/^lorem ipsum.*…$/)
    expect(shown('inbox', '', 'Inbox/a.md')).toBe('')
  })

  it('never cuts a character in two', () => {
    for (let shift = 0; shift < 40; shift++) {
      const emoji = '\u{1f600}'.repeat(200)
      const snippet = shown(
        'needle',
        `${'x'.repeat(shift)}${emoji}needle${'y'.repeat(shift)}${emoji}`,
      )
      expect(snippet.isWellFormed()).toBe(true)
      expect(snippet).toContain('needle')
      const accents = shown('needle', `${'x'.repeat(shift)}${'e\u0301'.repeat(200)}needle`)
      expect(accents).toMatch(/^…[ex]/)
    }
  })

  it('takes a query of any length', () => {
    const long = 'word '.repeat(50_000)
    expect(shown(long, long).length).toBeLessThan(175)
    expect(shown('東'.repeat(200_000), '東'.repeat(200_000)).length).toBeLessThan(175)
  })
})
