import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../../errors.ts'
import { sha256 } from '../../system/text.ts'
import { takeApart } from '../../vault/notes.ts'
import { Rules } from './rules.ts'

const mail = {
  from: 'Jane Doe <jane@example.com>',
  to: 'me@example.org',
  subject: 'Opening hours?',
  date: '2026-01-02T03:04:05Z',
  body: 'When are\nyou open? In the Café Straße?',
}

/** With this front matter, as it stands in the file. */
function noteOf(yaml: string) {
  const { parts, frontMatter } = takeApart(Buffer.from(`---\n${yaml}\n---\nWords.\n`))
  return { path: 'Rules.md', frontmatter: frontMatter.values, body: parts.body, etag: sha256(yaml) }
}

const rulesOf = (yaml: string) => new Rules(async () => noteOf(yaml))

const one = (rule: string) => rulesOf(`rules:\n  - {${rule}}`)
const archive = { decision: 'archive', reason: 'Rule 1 of Rules.md fits.' }

describe('the rules', () => {
  it.each([
    'from: EXAMPLE.com',
    'to: me@',
    'subject: opening HOURS',
    'body: WHEN ARE YOU OPEN',
    'body: "cafe\\u0301 STRASSE"',
    'from: jane, to: example.org, subject: hours, body: open',
  ])('fit a mail by { %s }', async (match) => {
    expect(await one(`${match}, decision: archive`).decide(mail)).toEqual(archive)
  })

  it('leave to a person what none of them fits, and say why', async () => {
    const others = ['from: joe', 'from: jane, subject: invoice', 'subject: jane']
    const cases: [Rules, string][] = [
      ...others.map((match): [Rules, string] => [
        one(`${match}, decision: archive`),
        'no rule fits it',
      ]),
      [new Rules(async () => undefined), 'there is no Rules.md in the vault'],
      [rulesOf('rules:'), 'Rules.md has no rules'],
      [rulesOf('rules: []'), 'Rules.md has no rules'],
    ]
    for (const [rules, why] of cases) {
      expect([await rules.decide(mail), rules.why()]).toEqual([undefined, why])
    }
  })

  it('decide by the first that fits, with what it says', async () => {
    const rules = rulesOf(`rules:
  - from: joe
    decision: archive
  - from: jane
    subject: opening hours
    decision: urgent
    reason: It is asked every week.
    reply: |
      Hello,

      we are open.
  - from: jane
    decision: delegate
    delegate_to: bookkeeper`)
    const reply = 'Hello,\n\nwe are open.\n'
    expect(await rules.decide(mail)).toEqual({
      decision: 'urgent',
      reason: 'It is asked every week.',
      reply,
    })
    expect(await rules.decide({ ...mail, subject: '' })).toEqual({
      decision: 'delegate',
      reason: 'Rule 3 of Rules.md fits.',
      delegate_to: 'bookkeeper',
    })
  })

  it.each([
    ['tags: [x]', 'Rules.md: "rules" in its front matter must be a list'],
    ['rules: none', 'Rules.md: "rules" in its front matter must be a list'],
    ['rules: [archive]', 'Rules.md: rule 1: it must have keys'],
    ['rules: [{from: x, decision: archive}, {from: x, decide: archive}]', 'Rules.md: rule 2: '],
    ['rules: [{from: x, decision: forward}]', 'Rules.md: rule 1: decision must be one of'],
    [
      'rules: [{from: x, decision: archive, forward_to: y}]',
      'Rules.md: rule 1: it must not have the key "forward_to"',
    ],
    ['rules: [{from: x, decision: draft_reply}]', 'Rules.md: rule 1: it has no reply'],
    ['rules: [{decision: archive}]', 'Rules.md: rule 1: it names none of from, to, subject, body'],
    ['rules: [{from: "", decision: archive}]', 'Rules.md: rule 1: "from" is empty'],
    ['rules: [{from: , decision: archive}]', 'Rules.md: rule 1: "from" is empty'],
    [
      'rules: [{subject: 404, decision: archive}]',
      'Rules.md: rule 1: "subject" must be a text (put it in quotes)',
    ],
  ])('refuse %j', async (yaml, message) => {
    const error = await rulesOf(yaml)
      .decide(mail)
      .catch((error) => error)
    expect(error).toMatchObject({
      code: 'bad_config',
      next: expect.stringContaining('Correct Rules.md'),
    })
    expect(error.message).toContain(message)
  })

  it('have the version of their note, and are read anew when it is another', async () => {
    let text = 'rules: [{from: jane, decision: archive}]'
    const rules = new Rules(async () => noteOf(text))
    const first = await rules.version()
    expect(await rules.decide(mail)).toEqual(archive)
    text = 'rules: [{from: jane, decision: needs_info}]'
    expect(await rules.version()).not.toBe(first)
    expect(await rules.decide(mail)).toMatchObject({ decision: 'needs_info' })
    expect(await new Rules(async () => undefined).version()).toBe('none')
  })

  it('are parsed once for each version', async () => {
    let reads = 0
    const frontmatter = {
      get rules() {
        reads++
        return [{ from: 'jane', decision: 'archive' }]
      },
    }
    const rules = new Rules(async () => ({ path: 'Rules.md', frontmatter, body: '', etag: 'a' }))
    for (let mails = 0; mails < 3; mails++) expect(await rules.decide(mail)).toEqual(archive)
    expect(reads).toBe(1)
  })

  it('say that their note cannot be read, and still have a version', async () => {
    const details = { etag: 'abc' }
    const broken = new Rules(async () => {
      throw new AgentMailError('parse_error', 'line 3, column 1: no YAML', undefined, { details })
    })
    await expect(broken.decide(mail)).rejects.toMatchObject({
      code: 'bad_config',
      message: 'Rules.md: line 3, column 1: no YAML',
    })
    expect(await broken.version()).toBe('abc')
    const lost = new Rules(async () => {
      throw new AgentMailError('mcp_unavailable', 'gone')
    })
    await expect(lost.decide(mail)).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await expect(lost.version()).rejects.toMatchObject({ code: 'mcp_unavailable' })
  })
})
