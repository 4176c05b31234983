/** One address book: a name reaches whoever has it, whichever door a message came in by. */
import type { Project } from '../coordination/coordination.ts'
import { isUntitled, type Letter, letterIdOf } from '../coordination/messages.ts'
import { putInMailbox } from '../mailbox/member.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { didYouMean } from './nearest.ts'

export interface AddressBookOptions {
  /** How the person is called. */
  person: string
  /** The post offices of a project on this machine. */
  officesOf(project: Project): Promise<PostOffice[]>
  /** That a message for the person was stored. */
  onPerson(project: Project, message: { id: number; from: string; subject: string }): Promise<void>
}

export interface PostAnswer {
  message_id: number
  /** That nobody of this name is here. */
  note?: string
}

export interface PostRequest extends Letter {
  agent_id: string
  idempotency_key?: string | undefined
}

interface Way {
  offices: PostOffice[]
  note?: string
}

export class AddressBook {
  readonly #options: AddressBookOptions

  constructor(options: AddressBookOptions) {
    this.#options = options
  }

  /** Stores a message in its channel. In `@name` it is for whoever has the name: where no registered agent has it, it is in the mailbox of that name too. */
  async post(project: Project, { idempotency_key, ...letter }: PostRequest): Promise<PostAnswer> {
    const [, name] = /^@(.+)$/su.exec(letter.channel) ?? []
    const way: Way = name === undefined ? { offices: [] } : await this.#wayTo(project, name)
    const isByMailbox = way.offices.length > 0
    const request = { ...letter, idempotency_key, isByMailbox }
    const { message_id } = await project.messages.send(request)
    if (name === undefined) return { message_id }
    const from = (await project.agents.nameOf(letter.agent_id)) ?? ''
    for (const office of way.offices) {
      const id = letterIdOf(project.key, message_id)
      const mail = { id, from, to: name, message: textOf(letter) }
      await putInMailbox(office, mail, { isOnce: idempotency_key !== undefined })
    }
    if (name === this.#options.person) {
      await this.#options.onPerson(project, { id: message_id, from, subject: letter.subject })
    }
    return way.note === undefined ? { message_id } : { message_id, note: way.note }
  }

  /** No office where the channel is enough: an agent of this name reads it, or the person does. */
  async #wayTo(project: Project, name: string): Promise<Way> {
    const { agents } = await project.agents.list({ agent: name })
    if (agents.some((agent) => agent.name === name)) return { offices: [] }
    const all = await this.#options.officesOf(project)
    const offices = all.filter((office) => office.recipientNames().includes(name))
    if (offices.length > 0 || name === this.#options.person) return { offices }
    const registered = (await project.agents.list()).agents.map((agent) => agent.name)
    const mailboxes = all.flatMap((office) => office.recipientNames())
    const hint = didYouMean(name, [...registered, ...mailboxes, this.#options.person])
    const note = `nobody called ${JSON.stringify(name)} is here${hint || '.'} The message waits in the channel for whoever comes under that name.`
    return { offices, note }
  }
}

const textOf = (letter: Letter): string =>
  isUntitled(letter) ? letter.body : `${letter.subject}\n\n${letter.body}`
