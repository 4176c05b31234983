/** Labels as keywords: any name becomes an atom, and is read back from it. */
import { describe, expect, it } from 'vitest'
import { canKeep, keywordLabels, keywordOf, labelsOfFlags } from './keywords.ts'

const names = [
  'Work',
  'my work',
  'a/b',
  'Übung',
  '日本語',
  'a+b',
  '+2b',
  '%*"\\(){}]',
  '$x',
  'junk',
]

describe('a label', () => {
  it.each([...names, '.dot', 'NonJunk', '👩‍💻'])('is kept as a keyword: %s', (label) => {
    const keyword = keywordOf(label)
    expect(keyword).toMatch(/^[A-Za-z0-9_+/-][A-Za-z0-9_+.$/-]*$/)
    expect([...keywordLabels([keyword])]).toEqual([[label, keyword]])
  })

  it('is a keyword of its own', () => {
    expect(new Set(names.map(keywordOf)).size).toBe(names.length)
  })

  it('is none that another program has set for itself', () => {
    const flags = new Set(['\\Seen', '\\Answered', '$Forwarded', '$Junk', 'NonJunk', 'Work'])
    expect(labelsOfFlags(flags)).toEqual(['Work'])
  })

  it('tells what is unread, starred and important', () => {
    expect(labelsOfFlags(new Set())).toEqual(['UNREAD'])
    expect(labelsOfFlags(new Set(['\\FLAGGED', '$important', '\\seen']))).toEqual([
      'STARRED',
      'IMPORTANT',
    ])
  })

  it('is kept so only where the server takes it', () => {
    expect(canKeep(new Set(['\\Seen', '\\*']), 'Work')).toBe(true)
    expect(canKeep(new Set(['\\Seen']), 'Work')).toBe(false)
    expect(canKeep(undefined, 'Work')).toBe(false)
    expect(canKeep(new Set(['\\*']), 'x'.repeat(51))).toBe(false)
  })
})
