/** Decides by the rules that a person keeps in the note Rules.md. */
import { AgentMailError } from '../../errors.ts'
import { sha256 } from '../../system/text.ts'
import type { Note } from '../../vault/notes.ts'
import { comparedMail, fits } from '../rules/fitting.ts'
import { type MailRule, type RuleFault, readRules } from '../rules/read-rules.ts'
import { faultText, type PlaceOf, unreadableText } from '../rules/rule-places.ts'
import type { Decision, TriageMail, Triager } from './decision.ts'

export class Rules implements Triager {
  readonly name = 'rules'
  readonly #read: () => Promise<Note | undefined>
  readonly #places: () => Promise<PlaceOf | undefined>
  #parsed: { version: string; rules: MailRule[]; faults: RuleFault[] } | undefined
  #why = 'no rule fits it'

  /**
   * @param read gives the note Rules.md, or nothing where there is none.
   * @param places where in its file something stands, asked for when something is wrong there.
   */
  constructor(
    read: () => Promise<Note | undefined>,
    places: () => Promise<PlaceOf | undefined> = async () => undefined,
  ) {
    this.#read = read
    this.#places = places
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
    if (!rules || rules.length === 0) return undefined
    const compared = comparedMail(mail)
    return rules.find((rule) => fits(rule, compared))?.decision
  }

  why(): string {
    return this.#why
  }

  /** Nothing where there is no Rules.md. */
  async #rules(): Promise<MailRule[] | undefined> {
    const note = await this.#read().catch((error) => {
      throw isUnreadable(error) ? unfit(unreadableText(error)) : error
    })
    if (!note) return undefined
    const version = versionOf(note)
    if (this.#parsed?.version !== version) {
      this.#parsed = { version, ...readRules(note.frontmatter) }
    }
    const { rules, faults } = this.#parsed
    const [first, ...more] = faults
    if (!first) return rules
    const others = more.length === 0 ? '' : ` (and ${more.length} more: see agentmail rules check)`
    throw unfit(`${faultText(first, await this.#places())}${others}`)
  }
}

function whyLeft(rules: MailRule[] | undefined): string {
  if (!rules) return 'there is no Rules.md in the vault'
  return rules.length === 0 ? 'Rules.md has no rules' : 'no rule fits it'
}

/** Not every server of notes gives an etag. */
const versionOf = ({ etag, frontmatter }: Note): string =>
  etag || sha256(JSON.stringify(frontmatter))

const isUnreadable = (error: unknown): error is AgentMailError =>
  AgentMailError.is(error, 'parse_error')

const unfit = (problem: string) =>
  new AgentMailError(
    'bad_config',
    problem,
    'Correct Rules.md in the vault: it is read again before the next mail.',
  )
