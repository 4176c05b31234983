/** Sends to a name by whichever door whoever has it can be reached: its mailbox, else its channel. */
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { Letter } from '../coordination/messages.ts'
import { AgentMailError } from '../errors.ts'
import {
  type Delivered,
  listRecipients,
  type Member,
  recipientNotFound,
  send,
} from '../mailbox/member.ts'
import { checkMessage } from '../mailbox/message.ts'
import { spotsIn } from '../mailbox/recipient-entries.ts'
import { log } from '../system/log.ts'
import { ifSoon } from '../system/time-limit.ts'
import type { PostAnswer } from './address-book.ts'
import { isElsewhere, namesakeOf } from './namesakes.ts'
import { didYouMean } from './nearest.ts'

/** The agents of coordination, as far as somebody must know them who writes by the mailbox. */
export interface Registered {
  /** The names of those who live; only this one, where it is named. */
  names(only?: string): Promise<string[]>
  /** Those who live, with where they stand; only those of a name, where it is given. */
  standings(name?: string): Promise<AgentStanding[]>
  /** The id of this machine. */
  readonly machine: string
  /** Why one of this name may not read soon what is written to it, in words. */
  silence(name: string): Promise<string | undefined>
  /** Says it in the sender's name. */
  post(from: string, letter: Letter): Promise<PostAnswer>
}

export interface Letterbox {
  member: Member
  /** Whether there may be any, told at once and without asking. */
  hasRegistered(): boolean
  registered(): Promise<Registered>
  /** How the person is called. */
  person: string
}

/** What was sent by the mailbox has a last question to it, which may take a moment. */
export interface SentTo extends Delivered {
  /** That a registered agent elsewhere has the same name and did not get it, in words. */
  namesake?(): Promise<string | undefined>
}

const subjectLength = 80
/** What was delivered is not held up longer by a look at who else has the name. */
const lookMs = 1000

export async function sendTo(letterbox: Letterbox, to: string, message: string): Promise<SentTo> {
  const { member, person } = letterbox
  try {
    const delivered = await send(member, to, message)
    return { ...delivered, namesake: () => namesakeHere(letterbox, to) }
  } catch (error) {
    if (!AgentMailError.is(error, 'recipient_not_found')) throw error
  }
  const registered = await letterbox.registered()
  const isThere = to === person || (await registered.names(to)).length > 0
  if (!isThere) throw await notFound(letterbox, to)
  return postTo(letterbox, member.agent.name, to, message)
}

/** Says it in the channel of a name, whether somebody has that name now or not. */
async function postTo(
  { registered: ask, person }: Omit<Letterbox, 'member'>,
  from: string,
  to: string,
  message: string,
): Promise<Delivered> {
  checkMessage(message)
  const registered = await ask()
  const letter = { channel: `@${to}`, subject: subjectOf(message), body: message }
  const { message_id, note } = await registered.post(from, letter)
  const warning = (to === person ? undefined : await registered.silence(to)) ?? note
  return { message_id: String(message_id), ...(warning !== undefined && { warning }) }
}

/** Somebody who answers, perhaps outside any repository. */
export interface Answering extends Omit<Letterbox, 'member'> {
  name: string
  member: Member | undefined
}

/** Answers by the door at which the other is: who said it in a channel and is gone meanwhile reads the answer there when it is back. */
export async function answerTo(
  own: Answering,
  { from, isMessage }: { from: string; isMessage: boolean },
  message: string,
): Promise<SentTo> {
  const { member, name } = own
  checkMessage(message)
  const isRegistered = isMessage && (await (await own.registered()).names(from)).length > 0
  if (member && !isRegistered) {
    try {
      return await sendTo({ ...own, member }, from, message)
    } catch (error) {
      if (!isMessage || !AgentMailError.is(error, 'recipient_not_found')) throw error
    }
  }
  return postTo(own, name, from, message)
}

async function namesakeHere(letterbox: Letterbox, to: string) {
  const { agent, known } = letterbox.member
  if (!letterbox.hasRegistered()) return undefined
  return ifSoon(lookMs, async () => {
    const registered = await letterbox.registered()
    const agents = await registered.standings(to)
    const spots = spotsIn(agent.view, known)(to)
    const others = agents.filter((one) => isElsewhere(one, spots, registered.machine))
    return others.length > 0
      ? `the message went to the mailbox alone: ${namesakeOf(to)}`
      : undefined
  })
}

/** Who can be written to by name: those of the mailbox in their order, then the registered; the person, who is always there, is not named. */
export async function reachable({
  member,
  registered,
  person,
}: Pick<Letterbox, 'member' | 'registered' | 'person'>): ReturnType<typeof listRecipients> {
  const { recipients } = await listRecipients(member)
  const known = new Set([...recipients.map(({ name }) => name), person])
  const names = await (await registered()).names().catch((error: Error) => {
    log(`the registered agents could not be asked: ${error.message}`)
    return []
  })
  const others = names.filter((name) => !known.has(name))
  const added = [...new Set(others)].sort().map((name) => ({ name, is_current: false }))
  return { recipients: [...recipients, ...added] }
}

async function notFound(letterbox: Letterbox, to: string): Promise<AgentMailError> {
  const { recipients } = await reachable(letterbox)
  const names = recipients.filter((one) => !one.is_current).map(({ name }) => name)
  return recipientNotFound(didYouMean(to, [...names, letterbox.person]))
}

/** The first line that says something. */
function subjectOf(message: string): string {
  const [first = ''] = message.trim().split(/\r?\n/, 1)
  const characters = [...first.trim()]
  if (characters.length === 0) {
    throw new AgentMailError('no_message', 'no message provided', 'Give the text to send.')
  }
  const isLong = characters.length > subjectLength
  return isLong ? `${characters.slice(0, subjectLength - 1).join('')}…` : characters.join('')
}
