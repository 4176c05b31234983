/** Tables and texts for a person's terminal. */
import { describe, expect, it } from 'vitest'
import { line, plain, table } from './table.ts'

describe('a table', () => {
  it('makes columns as wide as they need to be, and leaves no space at the end of a line', () => {
    const rows = [
      ['a', '', 'x'],
      ['longer', 'b', ''],
    ]
    expect(table(['ONE', 'TWO', 'C'], rows)).toBe(
      ['ONE     TWO  C', 'a            x', 'longer  b'].join('\n'),
    )
  })

  it('keeps a row on its line, whatever a cell holds', () => {
    const rows = [['two\nlines'], ['a\r\n\r\n b'], ['\x1b[2J']]
    expect(table(['TEXT'], rows).split('\n')).toEqual(['TEXT', 'two lines', 'a b', '\ufffd[2J'])
  })
})

describe('a text of an agent', () => {
  it('keeps its lines and tabs, and loses what steers a terminal', () => {
    expect(plain('a\tb\nc')).toBe('a\tb\nc')
    expect(plain('\0\x07\b\x1b\x7f\x80\x9b')).toBe('\ufffd'.repeat(7))
    expect(plain('\u202a\u202e\u2066\u2069')).toBe('\ufffd'.repeat(4))
  })

  it('cannot write over a line with a carriage return', () => {
    expect(plain('safe\revil\r\nnext')).toBe('safe\nevil\nnext')
    expect(line('safe\revil')).toBe('safe evil')
  })

  it('keeps letters of every script', () => {
    expect(plain('Ünïcödé 日本語 עברית 🎉')).toBe('Ünïcödé 日本語 עברית 🎉')
  })
})
