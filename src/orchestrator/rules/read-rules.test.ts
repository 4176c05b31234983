/** What is wrong with rules: everything, in words, and where it stands in the file. */
import { Ajv } from '@modelcontextprotocol/server/validators/ajv'
import { describe, expect, it } from 'vitest'
import { placesIn } from '../../vault/front-matter/places.ts'
import { takeApart } from '../../vault/notes.ts'
import { readRules } from './read-rules.ts'
import { faultText } from './rule-places.ts'
import { rulesJsonSchema } from './rule-schema.ts'

/** All that is said of a note with this front matter. */
function faultsIn(yaml: string, open = '---\n'): string[] {
  const { parts, frontMatter } = takeApart(Buffer.from(`${open}${yaml}\n---\nWords.\n`))
  const placeOf = placesIn(parts)
  return readRules(frontMatter.values).faults.map((fault) => faultText(fault, placeOf))
}

const several = `tags: [mail]
rules:
  - from: a@example.com
    decision: archive
  - form: b@example.com
    decision: forward
    delegateto: planner
  - subject: 404
    decision: draft_reply
  - archive
  - to: ""
    decision: urgent
    reply: ""
  - {body: x, decision: delegate, reason: "  ", delegate_to: {name: y}}`

describe('what is wrong with rules', () => {
  it('is told at once, each with the line and column of its key or value', () => {
    expect(faultsIn(several)).toEqual([
      'Rules.md:7:15: rule 2: decision must be one of draft_reply, urgent, archive, needs_info, delegate',
      'Rules.md:6:5: rule 2: it must not have the key "form". Did you mean from?',
      'Rules.md:8:5: rule 2: it must not have the key "delegateto". Did you mean delegate_to?',
      'Rules.md:6:5: rule 2: it names none of from, to, subject, body, so it would fit every mail',
      'Rules.md:9:14: rule 3: "subject" must be a text (put it in quotes)',
      'Rules.md:10:15: rule 3: it has no reply, and this decision needs one',
      'Rules.md:11:5: rule 4: it must have keys, as in "from: example.com"',
      'Rules.md:12:9: rule 5: "to" is empty',
      'Rules.md:14:12: rule 5: it has no reply, and this decision needs one',
      'Rules.md:15:62: rule 6: delegate_to must be text',
      'Rules.md:15:43: rule 6: it gives no reason',
    ])
  })

  it('is told of each key of a rule', () => {
    expect(
      faultsIn('rules:\n- from: [a, b]\n  decision: urgent\n  reason: " "\n  reply: {}'),
    ).toEqual([
      'Rules.md:3:9: rule 1: "from" must be one text: write a rule for each',
      'Rules.md:6:10: rule 1: reply must be text',
      'Rules.md:5:11: rule 1: it gives no reason',
    ])
    expect(faultsIn('rules:\n- from: [a]\n  decision: urgent\n  reason: " "')).toHaveLength(3)
  })

  it.each([
    ['archiv', '. Did you mean archive?'],
    ['ARCHIVE', '. Did you mean archive?'],
    ['delegat', '. Did you mean delegate?'],
    ['forward', ''],
    ['[archive]', ''],
  ])('names the decision that was meant by %j', (written, hint) => {
    expect(faultsIn(`rules: [{from: x, decision: ${written}}]`)).toEqual([
      `Rules.md:2:29: rule 1: decision must be one of draft_reply, urgent, archive, needs_info, delegate${hint}`,
    ])
  })

  it('keeps nobody from knowing whom a rule would give mails to', () => {
    const rules = [
      { from: ['a', 'b'], decision: 'delegate', delegate_to: 'plannr' },
      { from: 'a', decision: 'delegate', reason: ' ' },
      { from: 'a', decision: 'delegate', delegate_to: 7 },
      { from: 'a', decision: 'archive', delegate_to: 'nobody' },
    ]
    expect(readRules({ rules }).delegates).toEqual([
      { rule: 1, name: 'plannr' },
      { rule: 2, name: undefined },
    ])
  })

  it.each([
    ['tags: [x]', 'Rules.md:2:1: "rules" in its front matter must be a list'],
    [
      'rule: [{from: x, decision: archive}]',
      'Rules.md:2:1: "rules" in its front matter must be a list, and is called "rule" here',
    ],
    ['rules: none', 'Rules.md:2:8: "rules" in its front matter must be a list'],
    ['a: &r [{from: x}]\nrules: *r', 'Rules.md:2:8: rule 1: decision must be one of'],
    ['rules:\n- from:\n  decision: archive', 'Rules.md:3:3: rule 1: "from" is empty'],
    ['rules: [{decision: archive}]', 'Rules.md:2:9: rule 1: it names none of'],
    [
      'rules:\n- from: ü😀\n  Ünbekannt: 1\n  decision: archive',
      'Rules.md:4:3: rule 1: it has a key',
    ],
  ])('stands where it is told: %j', (yaml, begin) => {
    const [first, ...more] = faultsIn(yaml)
    expect([first?.slice(0, begin.length), more]).toEqual([begin, []])
  })

  it.each([
    ['@example.com', 'plain value cannot start with reserved character @: put it in quotes'],
    ['*', 'a value that begins with * or & must be in quotes'],
    ['*.example.com', 'there is no anchor before the alias *.example.com: put a text in quotes'],
  ])('is a sign that YAML keeps for itself, and how it is meant as a text: %s', (value, words) => {
    const at = { line: 3, column: 9, reason: `the front matter cannot be read: ${words}` }
    const read = () => faultsIn(`rules:\n- from: ${value}\n  decision: archive`)
    expect(read).toThrow(expect.objectContaining({ code: 'parse_error', details: at }))
    expect(faultsIn(`rules:\n- from: "${value}"\n  decision: archive`)).toEqual([])
  })

  it('is counted from the top of the file, however its lines end', () => {
    expect(faultsIn('rules:\r\n- from: ""\r\n  decision: archive\r', '\ufeff---\r\n')).toEqual([
      'Rules.md:3:9: rule 1: "from" is empty',
    ])
  })

  it('is nothing where the list was emptied', () => {
    for (const yaml of ['rules:', 'rules: []']) expect(faultsIn(yaml)).toEqual([])
  })
})

describe('the schema that editors are given', () => {
  const judge = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(rulesJsonSchema()),
  )
  const texts = [undefined, null, '', ' ', 'x', 7, ['x']]
  const decisions = ['draft_reply', 'urgent', 'archive', 'needs_info', 'delegate', 'forward', null]

  it('says of every rule what the orchestrator says', () => {
    const verdicts = new Set<boolean>()
    for (const decision of [...decisions, undefined]) {
      for (const key of ['from', 'to', 'subject', 'body', 'reply', 'delegate_to', 'cc']) {
        for (const text of texts) {
          for (const reply of ['Yes.', undefined, '', null]) {
            const given = { from: 'x', reply, decision, [key]: text }
            const frontmatter = { rules: [JSON.parse(JSON.stringify(given))] }
            const isGood = readRules(frontmatter).faults.length === 0
            expect(judge(frontmatter), JSON.stringify(frontmatter)).toBe(isGood)
            verdicts.add(isGood)
          }
        }
      }
    }
    expect(verdicts.size).toBe(2)
    for (const rules of [[], null, 'none', [null], ['archive'], undefined]) {
      const frontmatter = { tags: ['x'], ...(rules !== undefined && { rules }) }
      expect(judge(frontmatter), JSON.stringify(frontmatter)).toBe(
        readRules(frontmatter).faults.length === 0,
      )
    }
  })
})
