/** Labels by their names, as people know them; Gmail knows them by ids. */
import { AgentMailError } from '../../errors.ts'
import type { GmailApi } from './api.ts'
import { type GmailLabel, labelIn, labelsIn } from './reply.ts'

const systemName =
  /^(INBOX|UNREAD|STARRED|IMPORTANT|SPAM|TRASH|SENT|DRAFT|CHAT|CATEGORY_[A-Z]{1,30})$/
const longest = 225

export class GmailLabels {
  readonly #api: GmailApi
  readonly #signal: AbortSignal
  #labels: GmailLabel[] = []

  private constructor(api: GmailApi, signal: AbortSignal) {
    this.#api = api
    this.#signal = signal
  }

  /** As they are now. */
  static async load(api: GmailApi, signal: AbortSignal): Promise<GmailLabels> {
    const labels = new GmailLabels(api, signal)
    await labels.#load()
    return labels
  }

  async #load(): Promise<void> {
    const reply = await this.#api.ask(
      (users, options) => users.labels.list({ userId: 'me' }, options),
      this.#signal,
    )
    this.#labels = labelsIn(reply)
  }

  /** System labels in any case; others as they are written, else in any case. */
  find(name: string): GmailLabel | undefined {
    const upper = name.toUpperCase()
    const isSystem = ({ id, isSystem }: GmailLabel) => isSystem || systemName.test(id)
    return (
      this.#labels.find((label) => isSystem(label) && label.name.toUpperCase() === upper) ??
      (systemName.test(upper) ? { id: upper, name: upper, isSystem: true } : undefined) ??
      this.#labels.find((label) => label.name === name) ??
      this.#labels.find((label) => label.name.toUpperCase() === upper)
    )
  }

  /** Makes it with the labels above it. A parent that is there in another case is used as it is. */
  async create(name: string): Promise<GmailLabel> {
    const steps = name.split('/')
    if (steps.some((step) => step.trim() === '')) throw badName('has an empty part')
    let path = ''
    let made: GmailLabel | undefined
    for (const step of steps) {
      const wanted = path === '' ? step.trim() : `${path}/${step.trim()}`
      made = this.find(wanted) ?? (await this.#createOne(wanted))
      path = made.name
    }
    if (!made) throw badName('is empty')
    return made
  }

  /** The names of these, where they have one. */
  namesOf(ids: string[]): string[] {
    return ids.map((id) => this.#labels.find((label) => label.id === id)?.name ?? id)
  }

  async #createOne(name: string): Promise<GmailLabel> {
    const requestBody = { name, labelListVisibility: 'labelShow', messageListVisibility: 'show' }
    try {
      const reply = await this.#api.ask(
        (users, options) => users.labels.create({ userId: 'me', requestBody }, options),
        this.#signal,
      )
      const label = labelIn(reply)
      this.#labels.push(label)
      return label
    } catch (error) {
      const isRefused =
        AgentMailError.is(error) && ['conflict', 'invalid_request'].includes(error.code)
      if (!isRefused) throw error
      await this.#load() // perhaps somebody else has just made it
      const label = this.find(name)
      if (label) return label
      if (error.code === 'conflict') throw error
      throw badName('is not one that Gmail takes')
    }
  }
}

/** Refuses what can be no label, before anybody is asked. */
export function checkedLabelName(text: string): string {
  const name = text.trim()
  if (/^[\s/]*$/.test(name)) throw badName('is empty')
  if (/\p{Cc}/u.test(name)) throw badName('holds a control character')
  if ([...name].length > longest) throw badName(`is longer than ${longest} characters`)
  return name
}

const badName = (why: string) =>
  new AgentMailError(
    'invalid_request',
    `the label name ${why}`,
    'Give a name such as INBOX, Work or Work/Invoices.',
  )
