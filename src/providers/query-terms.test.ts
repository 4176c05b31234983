/** What a query is taken for, and what is refused with which words. */
import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../errors.ts'
import { queryTerms } from './query-terms.ts'

const now = Date.UTC(2026, 5, 10, 12)
const termsOf = (text: string) => queryTerms(text, now, 'local mail')
const wanted = { isWanted: true }

function refusal(text: string): string {
  try {
    termsOf(text)
  } catch (error) {
    if (AgentMailError.is(error, 'invalid_request')) return error.text
    throw error
  }
  return ''
}

describe('a query', () => {
  it.each([
    ['is:unread', { kind: 'unread' }],
    ['is:"read"', { kind: 'read' }],
    ['IS:Starred', { kind: 'starred' }],
    ['is:important', { kind: 'important' }],
    ['has:attachment', { kind: 'attachment', value: '' }],
    ['has:attachments', { kind: 'attachment', value: '' }],
    ['in:all', { kind: 'anywhere' }],
    ['in:Work', { kind: 'label', value: 'work' }],
    ['label:snoozed', { kind: 'label', value: 'snoozed' }],
    ['from:-', { kind: 'from', value: '-' }],
    ['subject:"(a b)"', { kind: 'subject', value: '(a b)' }],
    ['newer_than:"2h"', { kind: 'since', time: now - 2 * 3_600_000 }],
  ])('means by %s what it names', (text, term) => {
    expect(termsOf(text)).toEqual([{ ...wanted, ...term }])
  })

  it.each([
    'foo(bar)',
    'bar)',
    'a{b}',
    'foo:(bar',
    'note:',
    'foo:bar',
    'http://example.com/(x)',
    ':)',
    'or',
  ])('looks for %s as it stands, in quotes too', (text) => {
    const term = { ...wanted, kind: 'words', value: text }
    expect(termsOf(text)).toEqual([term])
    expect(termsOf(`"${text}"`)).toEqual([term])
  })

  it.each(['is:snoozed', 'has:drive', '(a b)', '{a b}', 'from:', 'OR', 'larger:5m'])(
    'looks for %s where it is in quotes',
    (text) => {
      expect(refusal(text)).not.toBe('')
      expect(termsOf(`-"${text}"`)).toEqual([
        { isWanted: false, kind: 'words', value: text.toLowerCase() },
      ])
    },
  )

  it.each([
    ['is:unraed', 'is:unread, is:read, is:starred, is:important.'],
    ['has:drive', 'has:attachment.'],
    ['newer_than:2w', 'newer_than:12h, newer_than:2d, newer_than:3m, newer_than:1y.'],
  ])('is told what is known instead of %s', (term, known) => {
    expect(refusal(`x -${term}`)).toBe(
      `local mail does not understand "${term}"\nIt understands ${known}`,
    )
  })

  it.each(['(a', '{a', 'from:(a', '((a'])('has no groups: %s', (opening) => {
    expect(refusal(`x -${opening} b)`)).toBe(
      `local mail does not understand groups, as in "${opening}"\nPut it in quotes to look for the text itself.`,
    )
  })

  it.each(['from:', 'from: ada', '-from:', 'from:""', 'From:" "'])(
    'has something behind an operator: %s',
    (text) => {
      expect(refusal(`x ${text}`)).toMatch(/^nothing stands behind "from: *"\nWrite what is meant/i)
    },
  )
})
