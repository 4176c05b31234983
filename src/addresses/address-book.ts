/** One address book: a name reaches whoever has it, whichever door a message came in by. */
import type { Project } from '../coordination/coordination.ts'
import { isUntitled, type Letter, letterIdOf, type PostedLetter } from '../coordination/messages.ts'
import { AgentMailError } from '../errors.ts'
import { putInMailbox } from '../mailbox/member.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { silenceOfRecipient } from '../mailbox/sent/silence.ts'
import { didYouMean } from '../nearest.ts'
import { systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'

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
  /** That nobody of this name is here, or that its mailbox could not be written. */
  note?: string
  /** Why it may not be read soon. */
  warning?: string
}

export interface PostRequest extends Letter {
  agent_id: string
  idempotency_key?: string | undefined
}

interface Way {
  /** Those in which the name has a mailbox, where the channel is not enough. */
  offices: PostOffice[]
  note?: string
  warning?: string
}

export class AddressBook {
  readonly #options: AddressBookOptions

  constructor(options: AddressBookOptions) {
    this.#options = options
  }

  /** Refuses the person's name to agents: they would be handed what was written to the person. */
  checkMayRegister({ name }: { name: string }): void {
    if (name.trim() !== this.#options.person) return
    throw new AgentMailError(
      'invalid_request',
      `${JSON.stringify(name)} is the address of the person, and no name for an agent`,
      'Register under another name.',
    )
  }

  /** The post offices of a project on this machine. */
  officesOf(project: Project): Promise<PostOffice[]> {
    return this.#options.officesOf(project)
  }

  /**
   * Stores a message in its channel. In `@name` it is for whoever has the name: where no registered agent has it, it is in the mailbox of that name too.
   * @param store stores it together with something else, where that belongs to it.
   */
  async post(
    project: Project,
    request: PostRequest,
    store: (request: PostedLetter & PostRequest) => Promise<{ message_id: number }> = (letter) =>
      project.messages.send(letter),
  ): Promise<PostAnswer> {
    const name = nameIn(request.channel)
    if (name === undefined) return store(request)
    const way = await this.#wayTo(project, name)
    const isByMailbox = way.offices.length > 0
    const { message_id } = await store({ ...request, isByMailbox })
    const letter = { ...request, message_id, name }
    const from = (await project.agents.nameOf(request.agent_id)) ?? ''
    const offices = await this.#officesFor(project, letter, way)
    const note = (await putInAll(project, offices, { ...letter, from })) ?? way.note
    if (name === this.#options.person) {
      await this.#options.onPerson(project, { id: message_id, from, subject: request.subject })
    }
    const { warning } = way
    return {
      message_id,
      ...(note !== undefined && { note }),
      ...(warning !== undefined && { warning }),
    }
  }

  /** What was sent under a key before goes where it went then, whoever has come or gone since. */
  async #officesFor(
    project: Project,
    { idempotency_key, message_id, name }: Addressed,
    { offices }: Way,
  ): Promise<PostOffice[]> {
    if (idempotency_key === undefined) return offices
    if (!(await project.messages.isByMailbox(message_id))) return []
    return withMailbox(await this.#options.officesOf(project), name)
  }

  /** A guest comes for one thing, and whoever has a mailbox reads that; the person has nothing but the channel. */
  async #wayTo(project: Project, name: string): Promise<Way> {
    const { agents } = await project.agents.list({ agent: name })
    const called = agents.filter((agent) => agent.name === name)
    if (called.some((agent) => !agent.is_guest)) return { offices: [] }
    const all = await this.#options.officesOf(project)
    const offices = withMailbox(all, name)
    const isHere = offices.length > 0 || called.length > 0 || name === this.#options.person
    if (isHere) return { offices, ...silenceIn(offices, name) }
    const registered = (await project.agents.list()).agents.map((agent) => agent.name)
    const mailboxes = all.flatMap((office) => office.recipientNames())
    const hint = didYouMean(name, [...registered, ...mailboxes, this.#options.person])
    const note = `nobody called ${JSON.stringify(name)} is here${hint || '.'} The message waits in the channel for whoever comes under that name.`
    return { offices, note }
  }
}

/** Where nobody who has the mailbox is likely to read it soon. */
function silenceIn(offices: PostOffice[], name: string): { warning?: string } {
  const now = systemClock.now()
  const words = offices.map((office) => silenceOfRecipient(office.recipients.list(), name, now))
  const [warning] = words.every((one) => one !== undefined) ? words : []
  return warning === undefined ? {} : { warning }
}

interface Addressed extends PostRequest {
  message_id: number
  /** Whom it is for. */
  name: string
}

const nameIn = (channel: string): string | undefined => /^@(.*)$/su.exec(channel)?.[1]

const withMailbox = (offices: PostOffice[], name: string): PostOffice[] =>
  offices.filter((office) => office.recipientNames().includes(name))

/** Where no mailbox takes it, it is not lost: it is in the channel, and the sender is told so. */
async function putInAll(
  project: Project,
  offices: PostOffice[],
  { name, from, message_id, idempotency_key, ...letter }: Addressed & { from: string },
): Promise<string | undefined> {
  const mail = {
    id: letterIdOf(project.key, message_id),
    from,
    to: name,
    message: textOf(letter),
  }
  const isOnce = idempotency_key !== undefined
  let reason: string | undefined
  let put = 0
  for (const office of offices) {
    try {
      await putInMailbox(office, mail, { isOnce })
      put++
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      reason = error.message
      log(`the mailbox of ${JSON.stringify(name)} in ${office.dir} took no message: ${reason}`)
    }
  }
  if (reason === undefined || put > 0) return undefined
  await project.messages.keepInChannel(message_id)
  return `the mailbox of ${JSON.stringify(name)} could not be written: ${reason}. The message waits in the channel for whoever registers under that name.`
}

const textOf = (letter: Letter): string =>
  isUntitled(letter) ? letter.body : `${letter.subject}\n\n${letter.body}`
