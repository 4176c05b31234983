/** Sends to a name by whichever door whoever has it can be reached: its mailbox, else its channel. */
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import { type Letter, titleOf } from '../coordination/messages.ts'
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
import { didYouMean } from '../nearest.ts'
import { log } from '../system/log.ts'
import { ifSoon } from '../system/time-limit.ts'
import type { PostAnswer } from './address-book.ts'
import { isElsewhere, namesakeOf } from './namesakes.ts'

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
  /** Whether one of this name has a mailbox in another clone of the project on this machine. */
  hasMailbox(name: string): Promise<boolean>
  /** Says it in the sender's name. */
  post(from: Sender, letter: Letter): Promise<PostAnswer>
}

/** Who says something in a channel. */
export interface Sender {
  /** Or an id. */
  name: string
  /** Where several of that name live, whoever was heard of last; it is refused without it. */
  isAnyOf?: boolean
}

/** Where agents of a name stand. */
export interface Standings {
  agents: Pick<AgentStanding, 'place'>[]
  /** The id of this machine. */
  machine: string
}

export interface Letterbox {
  member: Member
  /** The same as `registered` tells, but quicker; nothing where it cannot. */
  quickLook?(name: string): Promise<Standings | undefined>
  /** Whether there may be any, told at once and without asking. */
  hasRegistered(): boolean
  registered(): Promise<Registered>
  /** How the person is called. */
  person: string
  /** Who speaks in channels; the member, where nobody is named. */
  sender?: Sender
}

/** What was sent by the mailbox has a last question to it, which may take a moment. */
export interface SentTo extends Delivered {
  /** That another has the same name and did not get it, in words. */
  namesake?(): Promise<string | undefined>
}

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
  const isIgnored = to !== person && member.office.ignored().has(to)
  if (isIgnored) throw await notFound(letterbox, to)
  const isThere = to === person || (await registered.names(to)).length > 0
  const isInClone = !isThere && (await registered.hasMailbox(to))
  if (!isThere && !isInClone) throw await notFound(letterbox, to)
  const sender = letterbox.sender ?? { name: member.agent.name, isAnyOf: true }
  return postTo(letterbox, sender, to, message, { isInClone })
}

/** Says it in the channel of a name, whether somebody has that name now or not. */
async function postTo(
  { registered: ask, person }: Omit<Letterbox, 'member'>,
  from: Sender,
  to: string,
  message: string,
  { isInClone = false } = {},
): Promise<Delivered> {
  checkMessage(message)
  const registered = await ask()
  const subject = titleOf(message)
  if (subject === '') {
    throw new AgentMailError('no_message', 'no message provided', 'Give the text to send.')
  }
  const letter = { channel: `@${to}`, subject, body: message }
  const { message_id, note, warning: ofMailbox } = await registered.post(from, letter)
  // Whoever reads a mailbox need not be registered to read it.
  const silence = to === person || isInClone ? undefined : await registered.silence(to)
  const warning = silence ?? note ?? ofMailbox
  return { message_id: String(message_id), ...(warning !== undefined && { warning }) }
}

/** Somebody who answers, perhaps outside any repository. */
export interface Answering extends Omit<Letterbox, 'member'> {
  sender: Sender
  member: Member | undefined
}

/** Answers by the door at which the other is: who was registered and is gone meanwhile reads the answer in its channel when it is back. */
export async function answerTo(
  own: Answering,
  { from, isMessage }: { from: string; isMessage: boolean },
  message: string,
): Promise<SentTo> {
  const { member, sender } = own
  checkMessage(message)
  const isRegistered = isMessage && (await (await own.registered()).names(from)).length > 0
  if (member && !isRegistered) {
    try {
      return await sendTo({ ...own, member }, from, message)
    } catch (error) {
      const isGone = AgentMailError.is(error, 'recipient_not_found')
      if (!isGone || !(isMessage || (await wasRegistered(own, from)))) throw error
    }
  }
  const posted = await postTo(own, sender, from, message)
  if (!member || !isRegistered) return posted
  return { ...posted, namesake: () => recipientBeside({ ...own, member }, from) }
}

/** That whoever asked may be another of that name, in words: it may have asked by a command. */
async function recipientBeside(letterbox: Letterbox, name: string): Promise<string | undefined> {
  const { recipients } = await listRecipients(letterbox.member)
  if (!recipients.some((one) => one.name === name && !one.is_current)) return undefined
  if (!(await hasNamesake(letterbox, name))) return undefined
  const called = JSON.stringify(name)
  return `the answer went to the channel @${name} alone: a recipient of the mailbox is called ${called} too. agentmail send ${called} writes to that one.`
}

/** Whether one who is gone was known to coordination, as whoever wrote into a mailbox from there. */
const wasRegistered = async (own: Answering, name: string): Promise<boolean> =>
  (await (await own.registered()).silence(name)) !== undefined

async function namesakeHere(letterbox: Letterbox, to: string): Promise<string | undefined> {
  if (!letterbox.hasRegistered() || !(await hasNamesake(letterbox, to))) return undefined
  return `the message went to the mailbox alone: ${namesakeOf(to)}`
}

/** Whether a registered agent that is not the recipient of this name has it too. */
async function hasNamesake(letterbox: Letterbox, name: string): Promise<boolean> {
  const { agent, known } = letterbox.member
  const found = await ifSoon(lookMs, async () => {
    const quick = await letterbox.quickLook?.(name).catch(() => undefined)
    const { agents, machine } = quick ?? (await standingsOfName(letterbox, name))
    const spots = spotsIn(agent.view, known)(name)
    return agents.some((one) => isElsewhere(one, spots, machine))
  })
  return found === true
}

async function standingsOfName(letterbox: Letterbox, name: string): Promise<Standings> {
  const registered = await letterbox.registered()
  return { agents: await registered.standings(name), machine: registered.machine }
}

/** Who can be written to by name: those of the mailbox in their order, then the registered; the person, who is always there, is not named, nor are ignored names. */
export async function reachable({
  member,
  registered,
  person,
}: Pick<Letterbox, 'member' | 'registered' | 'person'>): ReturnType<typeof listRecipients> {
  const { recipients } = await listRecipients(member)
  const ignored = member.office.ignored()
  const unlisted = new Set([...recipients.map(({ name }) => name), ...ignored, person])
  const names = await (await registered()).names().catch((error: Error) => {
    log(`the registered agents could not be asked: ${error.message}`)
    return []
  })
  const others = names.filter((name) => !unlisted.has(name))
  const added = [...new Set(others)].sort().map((name) => ({ name, is_current: false }))
  return { recipients: [...recipients, ...added] }
}

async function notFound(letterbox: Letterbox, to: string): Promise<AgentMailError> {
  const { recipients } = await reachable(letterbox)
  const names = recipients.filter((one) => !one.is_current).map(({ name }) => name)
  return recipientNotFound(didYouMean(to, [...names, letterbox.person]))
}
