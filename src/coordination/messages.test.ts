import { describe, expect, it } from 'vitest'
import { isUntitled, titleOf } from './messages.ts'

const long = 'x'.repeat(90)

describe('a subject', () => {
  it.each([
    ['Fix', 'Fixed the parser'],
    ['Fixed', 'Fixed the parser'],
    ['x', long],
    ['x…', long],
    ['x'.repeat(79), long],
    ['one two', 'one\ntwo'],
    ['one\ntwo', 'one\ntwo'],
    ['…', 'three'],
    ['Fix', ''],
  ])('stays where the text only begins with it: %j, %j', (subject, body) => {
    expect(isUntitled({ subject, body })).toBe(false)
  })

  it.each([
    ['one', 'one'],
    ['one', '\n  one  \r\ntwo'],
    [' one ', 'one\ntwo'],
    [long, `${long}\ntwo`],
    [`${'x'.repeat(79)}…`, `${long}\ntwo`],
    [titleOf('🎉'.repeat(90)), '🎉'.repeat(90)],
  ])('is left out where it is the first line: %j, %j', (subject, body) => {
    expect(isUntitled({ subject, body })).toBe(true)
  })
})
