/** The filter by which a database leaves out texts: never one in which the words are, and nearly all others. */
import { describe, expect, it } from 'vitest'
import { coarseFilter } from './coarse-filter.ts'
import { withoutCase } from './words.ts'

/** Whether a text passes, in an engine that folds the case of ASCII alone. */
function passes(text: string, words: string[]): boolean {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return coarseFilter(words.map(withoutCase), ['body']).every(([sql, ...parts]) =>
    sql.split(' OR ').some((one, index) => {
      const found = one.includes('LOWER') ? lower : text
      return found.includes(String(parts[index]))
    }),
  )
}

describe('a text', () => {
  it('passes for each letter of Unicode under all that is compared as it', () => {
    const left: string[] = []
    for (let code = 0; code <= 0x3ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      if (code > 0xac00 && code <= 0xd7a3) code += 97 // syllables: one is like another
      const letter = String.fromCodePoint(code)
      const compared = withoutCase(letter)
      const isUsual = compared === letter && letter.normalize('NFD') === letter
      if (isUsual && code > 0x2fff) continue // ideographs, too
      const spellings = [letter, letter.toUpperCase(), letter.normalize('NFD')]
      for (const text of spellings.filter((one) => withoutCase(one).includes(compared))) {
        if (!passes(`x${text}x`, [compared])) left.push(code.toString(16))
      }
    }
    expect(left).toEqual([])
  })

  it.each([
    ['The tests are green', 'parser'],
    ['kick it', 'kicks'],
    ['Тесты проходят', 'привет'],
    ['테스트는 통과', '한국'],
    ['测试通过', '东京'],
    ['Các bài kiểm tra', 'ệếề'],
  ])('%j does not pass for %j', (text, word) => {
    expect(passes(text, [word])).toBe(false)
  })

  it('is looked at by few and short conditions, whatever the words', () => {
    const words = Array.from({ length: 100 }, (_, n) => `${'жé한'.repeat(30)}${n}`)
    const conditions = coarseFilter(words, ['subject', 'body'])
    expect(conditions.length).toBeLessThanOrEqual(4)
    for (const [, ...parts] of conditions) {
      expect(parts.length).toBeLessThanOrEqual(24)
      for (const part of parts) expect(String(part).length).toBeLessThanOrEqual(128)
    }
    expect(coarseFilter(['\u0301'], ['body'])).toEqual([])
  })
})
