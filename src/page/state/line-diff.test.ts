/** What the page says has changed in a draft. */
import { describe, expect, it } from 'vitest'
import { diffLines, folded } from './line-diff.ts'

const shown = (old: string, fresh: string) =>
  diffLines(old, fresh).map(({ sign, text }) => `${sign}${text}`)

describe('the difference of two texts', () => {
  it('names what was taken out and what was put in, each in its place', () => {
    expect(shown('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c'])
    expect(shown('a\nb', 'a\nb\nc')).toEqual([' a', ' b', '+c'])
    expect(shown('x\na\nb', 'a\nb')).toEqual(['-x', ' a', ' b'])
    expect(shown('', 'a')).toEqual(['-', '+a'])
  })

  it('keeps what both have, also where much moved', () => {
    const lines = shown('1\n2\n3\n4\n5\n6', '0\n2\n4\n4\n6\n7')
    expect(lines.filter((line) => line.startsWith(' '))).toEqual([' 2', ' 4', ' 6'])
  })

  it('folds what is far from every change, and says how many lines that are', () => {
    const old = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const shown = folded(diffLines(old.join('\n'), old.with(10, 'new').join('\n')))
    expect(shown.filter((line) => typeof line === 'number')).toEqual([7, 16])
    expect(shown).toHaveLength(2 + 3 + 2 + 3)
    expect(folded(diffLines('same\n', 'same\n'))).toEqual([2])
  })

  it('gives both texts back, whatever they are', () => {
    const texts = [
      '',
      'a',
      'a\n',
      '\n\n',
      'a\nb\na\nb',
      'b\na\nb\na',
      'x\n'.repeat(2000),
      'y\n'.repeat(2000),
    ]
    for (const old of texts) {
      for (const fresh of texts) {
        const lines = diffLines(old, fresh)
        const without = (sign: string) =>
          lines
            .filter((line) => line.sign !== sign)
            .map(({ text }) => text)
            .join('\n')
        expect([without('+'), without('-')]).toEqual([old, fresh])
      }
    }
  })
})
