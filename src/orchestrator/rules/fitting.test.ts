/** Why a rule takes a mail, or none does, in words that quote the rule and the mail. */
import { describe, expect, it } from 'vitest'
import { fittingOf, whyOf } from './fitting.ts'
import { readRules } from './read-rules.ts'

const mail = {
  from: 'Jane Doe <jane@example.com>',
  to: 'me@example.org',
  subject: 'Opening hours?',
  date: '2026-01-02T03:04:05Z',
  body: `${'Lead. '.repeat(20)}When are\nyou open in the Hauptstraße? ${'More. '.repeat(20)}`,
}

function tried(...rules: object[]) {
  const read = readRules({ rules: rules.map((rule) => ({ decision: 'archive', ...rule })) })
  expect(read.faults).toEqual([])
  const fitting = fittingOf(read.rules, mail)
  return { rule: fitting.rule?.number, why: whyOf(fitting) }
}

describe('a mail that is tried on rules', () => {
  it('is taken by the first that fits, with what of it occurs where', () => {
    expect(
      tried({ from: 'joe' }, { from: 'EXAMPLE.com', subject: 'hours' }, { to: 'me@' }),
    ).toEqual({
      rule: 2,
      why: 'from has "EXAMPLE.com" in "Jane Doe <jane@example.com>", subject has "hours" in "Opening hours?" (so would rule 3, after it)',
    })
  })

  it('is quoted around what occurs, also where capitals are longer', () => {
    const { why } = tried({ body: 'HAUPTSTRASSE? more' })
    expect(why).toMatch(
      /^body has "HAUPTSTRASSE\? more" in "….*you open in the Hauptstraße\? More\..*…"$/,
    )
    expect(why.length).toBeLessThan(130)
  })

  it('is not taken where a word of each is missing, and the nearest is named with it', () => {
    const rules = [{ from: 'joe' }, { from: 'jane', to: 'me', subject: 'invoice' }, { to: 'zz' }]
    expect(tried(...rules)).toEqual({
      rule: undefined,
      why: 'no rule fits; the nearest is rule 2: from has "jane", to has "me", but subject does not have "invoice"',
    })
    expect(tried({ from: 'joe' }).why).toBe(
      'no rule fits; the nearest is rule 1: from does not have "joe"',
    )
    expect(tried().why).toBe('Rules.md has no rules')
  })
})
