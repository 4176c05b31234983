/** What counts as the same letter, and what as a word. */
import { describe, expect, it } from 'vitest'
import { fold, spaced, tokensOf, unfoldedPosition } from './fold.ts'

const same: [string, string, string][] = [
  ['case', 'ABC', 'abc'],
  ['an accent', 'é', 'e'],
  ['an accent of its own', 'e\u0301', 'é'],
  ['two accents', 'ệ', 'e'],
  ['a ring', 'Å', 'a'],
  ['the unit', '\u212b', 'å'],
  ['the sharp s', 'Straße', 'STRASSE'],
  ['the capital sharp s', 'STRAẞE', 'strasse'],
  ['the Turkish capital i', 'İstanbul', 'istanbul'],
  ['the Turkish small i', 'ısı', 'ISI'],
  ['the final sigma', 'ΟΔΟΣ', 'οδος'],
  ['a Greek accent', 'Ελλάδα', 'ελλαδα'],
  ['Cyrillic case', 'ПРИВЕТ', 'привет'],
  ['a kana mark', 'が', 'か\u3099'],
  ['half-width kana', 'ｶﾞ', 'ガ'],
  ['full-width letters', 'Ｆｕｌｌ１', 'full1'],
  ['Hangul in parts', '한국어'.normalize('NFD'), '한국어'],
  ['strokes', 'Øłđħ', 'oldh'],
  ['a ligature', 'ﬁne', 'fine'],
  ['joined letters', 'Æble œuvre', 'aeble oeuvre'],
  ['quotes as editors put them', '“don’t”', '"don\'t"'],
  ['Hebrew points', 'שָׁלוֹם', 'שלום'],
  ['Arabic vowel signs', 'مُحَمَّد', 'محمد'],
  ['a soft hyphen', 'co\u00adop', 'coop'],
  ['a zero-width space', 'a\u200bb', 'ab'],
]

describe('folding', () => {
  it.each(same)('ignores %s', (_what, one, other) => {
    expect(fold(one)).toBe(fold(other))
    expect(fold(`x ${one} y`)).toBe(`x ${fold(one)} y`)
  })

  it('keeps apart what differs', () => {
    for (const [one, other] of [
      ['か', 'が'],
      ['и', 'i'],
      ['日', '月'],
    ] as const) {
      expect(fold(one)).not.toBe(fold(other))
    }
  })

  it('changes nothing that it has folded', () => {
    for (const [, one] of same) expect(fold(fold(one))).toBe(fold(one))
  })

  it('finds the way back to the text', () => {
    const text = 'Åse e\u0301te\u0301 ﬁne Straße 日本 x\u{1f600}y ende'
    for (const word of ['ase', 'ete', 'fine', 'strasse', '日本', 'x', 'y', 'ende']) {
      const at = fold(text).indexOf(word)
      const from = unfoldedPosition(text, at)
      const to = unfoldedPosition(text, at + word.length)
      expect(fold(text.slice(from, to))).toBe(word)
    }
    expect(unfoldedPosition(text, fold(text).length)).toBe(text.length)
  })
})

describe('words', () => {
  it.each([
    ['foo-bar a_b', ['foo', 'bar', 'a', 'b']],
    ['c++ – “quoted” naïve', ['c', 'quoted', 'naive']],
    ['東京タワー go한국', ['東', '京', 'タ', 'ワ', 'ー', 'go', '한', '국']],
    ['привет, мир', ['привет', 'мир']],
    ['हिन्दी 𞤀𞤣', ['हिन्दी', '𞤢𞤣']],
    ['😀 → ½', ['1', '2']],
  ])('are found in %s', (text, words) => {
    expect(tokensOf(spaced(fold(text)))).toEqual(words)
  })
})
