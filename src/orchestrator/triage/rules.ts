/** Decides by the rules that a person keeps in the note Rules.md. */
import * as z from 'zod'
import { cleanLine } from '../../email/visible-text/clean-text.ts'
import { AgentMailError } from '../../errors.ts'
import { isRecord, sha256 } from '../../system/text.ts'
import type { Note } from '../../vault/notes.ts'
import type { Decision, TriageMail, Triager } from './decision.ts'
import { readDecision } from './parse-decision.ts'

const matched = ['from', 'to', 'subject', 'body'] as const

interface Rule {
  /** All of them must occur. */
  wanted: { part: (typeof matched)[number]; text: string }[]
  decision: Decision
}

const wantedText = (part: string) =>
  z
    .string(`"${part}" must be a text (put it in quotes)`)
    .refine((text) => comparable(text) !== '', `"${part}" is empty`)
    .optional()

const matchSchema = z.object({
  from: wantedText('from'),
  to: wantedText('to'),
  subject: wantedText('subject'),
  body: wantedText('body'),
})

export class Rules implements Triager {
  readonly name = 'rules'
  readonly #read: () => Promise<Note | undefined>
  #parsed: { version: string; rules: Rule[] } | undefined
  #why = 'no rule fits it'

  /** `read` gives the note Rules.md, or nothing where there is none. */
  constructor(read: () => Promise<Note | undefined>) {
    this.#read = read
  }

  async version(): Promise<string> {
    try {
      const note = await this.#read()
      return note ? versionOf(note) : 'none'
    } catch (error) {
      // A note that cannot be read as one has a version too: the one after it is mended is another.
      const etag = isUnreadable(error) ? error.details?.etag : undefined
      if (typeof etag === 'string') return etag
      throw error
    }
  }

  async decide(mail: TriageMail): Promise<Decision | undefined> {
    const rules = await this.#rules()
    this.#why = whyLeft(rules)
    if (!rules) return undefined
    const seen = new Map(
      rules.length === 0 ? [] : matched.map((part) => [part, comparable(mail[part])]),
    )
    const fits = ({ wanted }: Rule) =>
      wanted.every(({ part, text }) => seen.get(part)?.includes(text))
    return rules.find(fits)?.decision
  }

  why(): string {
    return this.#why
  }

  /** Nothing where there is no Rules.md. */
  async #rules(): Promise<Rule[] | undefined> {
    const note = await this.#read().catch((error) => {
      throw isUnreadable(error) ? unfit(error.message) : error
    })
    if (!note) return undefined
    const version = versionOf(note)
    if (this.#parsed?.version !== version) {
      this.#parsed = { version, rules: rulesOf(note.frontmatter.rules) }
    }
    return this.#parsed.rules
  }
}

function whyLeft(rules: Rule[] | undefined): string {
  if (!rules) return 'there is no Rules.md in the vault'
  return rules.length === 0 ? 'Rules.md has no rules' : 'no rule fits it'
}

/** Not every server of notes gives an etag. */
const versionOf = ({ etag, frontmatter }: Note): string =>
  etag || sha256(JSON.stringify(frontmatter))

/** A list that was emptied is one, whether the brackets are there or not. */
function rulesOf(list: unknown): Rule[] {
  if (list === null) return []
  if (!Array.isArray(list)) throw unfit('"rules" in its front matter must be a list')
  return list.map((rule, index) => ruleOf(rule, index + 1))
}

function ruleOf(rule: unknown, number: number): Rule {
  const fail = (problem: string) => unfit(`rule ${number}: ${problem}`)
  if (!isRecord(rule)) throw fail('it must have keys, as in "from: example.com"')
  const { from, to, subject, body, reason, ...rest } = rule
  const match = matchSchema.safeParse({ from, to, subject, body })
  if (!match.success) throw fail(match.error.issues[0]?.message ?? 'it cannot be read')
  const why = reason ?? `Rule ${number} of Rules.md fits.`
  const decision = readDecision({ ...rest, reason: why }, fail)
  const wanted = matched.flatMap((part) => {
    const text = match.data[part]
    return text === undefined ? [] : [{ part, text: comparable(text) }]
  })
  if (wanted.length === 0)
    throw fail(`it names none of ${matched.join(', ')}, so it would fit every mail`)
  return { wanted, decision }
}

/** Case, composition and how lines are broken do not matter. */
const comparable = (text: string): string =>
  cleanLine(text).normalize('NFC').toUpperCase().normalize('NFC')

const isUnreadable = (error: unknown): error is AgentMailError =>
  AgentMailError.is(error) && error.code === 'parse_error'

const unfit = (problem: string) =>
  new AgentMailError(
    'bad_config',
    `Rules.md: ${problem}`,
    'Correct Rules.md in the vault: it is read again before the next mail.',
  )
