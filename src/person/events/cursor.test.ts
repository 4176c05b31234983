/** The cursor of whoever watches all projects. */
import { describe, expect, it } from 'vitest'
import { cursorText, positionsIn } from './cursor.ts'

describe('a cursor', () => {
  it.each<[name: string, positions: [string, number][], text: string]>([
    ['of one project', [['demo', 12]], 'demo:12'],
    [
      'of two',
      [
        ['demo', 12],
        ['other', 1],
      ],
      'demo:12,other:1',
    ],
    ['of the project that older databases have', [['', 3]], ':3'],
    ['of a name with everything in it', [['a:b,c é\n%', 7]], 'a%3Ab%2Cc%20%C3%A9%0A%25:7'],
    ['of a database in which nothing has happened', [], '-'],
  ])('%s is read as it was written', (_, positions, text) => {
    expect(cursorText(new Map(positions))).toBe(text)
    expect(positionsIn(text)).toEqual(new Map(positions))
  })

  it.each([
    '',
    'demo',
    'demo:',
    'demo:0',
    'demo:-1',
    'demo:1.5',
    'demo:01',
    'demo:1e3',
    'demo:9999999999999999',
    'demo:1,',
    'demo:1,demo:2',
    'a:b:1',
    '%ff:1',
    '*',
    `${'x'.repeat(8192)}:1`,
  ])('%s cannot be read', (text) => {
    expect(positionsIn(text)).toBeUndefined()
  })

  it('of more projects than it can name cannot be gone on from', () => {
    const many = new Map(Array.from({ length: 1000 }, (_, index) => [`project ${index}`, 1]))
    const text = cursorText(many)
    expect(text.length).toBeLessThan(8192)
    expect(positionsIn(text)).toBeUndefined()
  })
})
