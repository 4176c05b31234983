/** One address book: a name reaches whoever has it, whichever door a message came in by. */

import type { Project } from '../coordination/coordination.ts'
import type { Letter } from '../coordination/messages.ts'
import { putInMailbox } from '../mailbox/member.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { sha256 } from '../system/text.ts'
import { didYouMean } from './nearest.ts'

export interface AddressBookOptions {
  /** How the person is called. */
  person: string
  /** The post offices of a project on this machine. */
  officesOf(project: Project): Promise<PostOffice[]>
}

export interface PostRequest extends Letter {
  agent_id: string
  idempotency_key?: string | undefined
}

export class AddressBook {
  readonly #options: AddressBookOptions

  constructor(options: AddressBookOptions) {
    this.#options = options
  }

  /** Stores a message in its channel; where that is `@name`, and nobody of that name is registered, it is in the mailbox of that name too. */
  async post(
    project: Project,
    letter: PostRequest,
  ): Promise<{ message_id: number; note?: string }> {
    const name = addressee(letter.channel)
    const way = name === undefined ? undefined : await this.#wayTo(project, name)
    const { message_id, sender } = await project.messages.send(letter)
    if (name === undefined || !way) return { message_id }
    for (const office of way.offices) {
      const id = letterId(project.name, message_id)
      const message = textOf(letter)
      await putInMailbox(office, { id, from: sender, to: name, message })
    }
    return way.note === undefined ? { message_id } : { message_id, note: way.note }
  }

  /** Nothing where the channel is enough: an agent of this name reads it, or the person does. */
  async #wayTo(
    project: Project,
    name: string,
  ): Promise<{ offices: PostOffice[]; note?: string } | undefined> {
    const { agents } = await project.agents.list({ agent: name })
    if (agents.some((agent) => agent.name === name)) return undefined
    const offices = await this.#options.officesOf(project)
    const having = offices.filter((office) => office.isRecipient(name))
    if (having.length > 0) return { offices: having }
    if (name === this.#options.person) return undefined
    const names = offices.flatMap((office) => office.recipientNames())
    for (const agent of (await project.agents.list()).agents) names.push(agent.name)
    const hint = didYouMean(name, [...names, this.#options.person])
    return {
      offices: [],
      note: `nobody called "${name}" is here; the message waits in the channel for whoever registers under that name${hint}`,
    }
  }
}
