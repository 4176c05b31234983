import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from './nearest.ts'

const names = ['coder', 'coder-2', 'planner', 'reviewer', 'Überprüfer', 'qa']

describe('the nearest names', () => {
  it.each([
    ['planer', ['planner']],
    ['Planner', ['planner']],
    ['codre', ['coder']],
    ['code', ['coder', 'coder-2']],
    ['review', ['reviewer']],
    ['überprüfer', ['Überprüfer']],
    ['qs', ['qa']],
    ['zzz', []],
    ['qaaaaaa', []],
    ['qa-1', ['qa']],
    ['co', ['coder', 'coder-2']],
    ['', []],
    ['somebody-else', []],
  ])('for %j are %j', (written, found) => {
    expect(nearest(written, names)).toEqual(found)
  })

  it('are told as a question', () => {
    expect(didYouMean('code', names)).toBe('. Did you mean coder or coder-2?')
    expect(didYouMean('nobody', names)).toBe('')
  })
})
