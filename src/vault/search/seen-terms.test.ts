/** No word may be taken for one that was seen: it could not be found by its parts. */
import { expect, it } from 'vitest'
import { fold, spaced, tokensOf } from './fold.ts'
import { SeenTerms } from './seen-terms.ts'

it('tells each word once, among very many', () => {
  const seen = new SeenTerms()
  const found: string[] = []
  for (let part = 0; part < 200; part++) {
    const words = Array.from({ length: 1000 }, (_, word) => `w${part * 500 + word}`)
    seen.collect(`${words.join(' ')}, ${words.join('-')}`, found)
  }
  expect(found.length).toBe(100_500)
  expect(new Set(found).size).toBe(found.length)
})

it('sees the words that the index sees', () => {
  for (const text of ['', 'a', ' a b-c ', 'Äpfel, 東京 und “c++” 𞤀', 'x'.repeat(5000)]) {
    const words = spaced(fold(text))
    const found: string[] = []
    new SeenTerms().collect(words, found)
    expect(found).toEqual([...new Set(tokensOf(words))])
  }
})
