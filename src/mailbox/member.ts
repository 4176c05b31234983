/** What a member of the post office can do: send, receive, say how it is, see who is there. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import type { Clock } from '../system/clock.ts'
import { rfc3339, systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import { randomId } from '../system/random.ts'
import { type Agent, type Caller, viewOf, whoAmI } from './agent.ts'
import { rememberOffice } from './known-offices.ts'
import type { DamagedLine } from './mailbox.ts'
import { checkMessage } from './message.ts'
import { PostOffice } from './post-office.ts'
import { isNameGiven, type Recipient, type Status } from './recipient.ts'
import { silenceOfRecipient } from './sent/silence.ts'
import type { TmuxView } from './tmux.ts'
import { namesInView, noteGone, type Oddity, oddities } from './whereabouts.ts'

/** An agent at its post office. */
export interface Member {
  agent: Agent
  office: PostOffice
  /** Who was known here when the member came. */
  known: Recipient[]
  clock: Clock
}

/** Who I am and where my mail is; from now on the others can write to me. */
export async function joinOffice(
  config: Config,
  office: Promise<PostOffice> = PostOffice.locate(config),
  caller: Caller = {},
): Promise<Member> {
  const [agent, opened] = await Promise.all([whoAmI(config, caller), office])
  const clock = systemClock
  opened.create()
  if (agent.view) await noteGone(opened, agent.view.panes)
  // The person is no window or agent: what is written to them is not put into a mailbox.
  const known =
    agent.name === opened.person
      ? opened.recipients.list()
      : await opened.recipients.register(agent.name, agent, clock.now(), () =>
          rememberOffice(config, opened.dir),
        )
  return { agent, office: opened, known, clock }
}

/** Whoever acts under a name without being there: nobody is registered by it. */
export function memberAs(name: string, office: PostOffice): Member {
  const agent: Agent = { name, pane: null, source: 'environment' }
  return { agent, office, known: office.recipients.list(), clock: systemClock }
}

export interface Delivered {
  message_id: string
  /** What the sender should know of the recipient. */
  warning?: string
}

export async function send(member: Member, to: string, message: string): Promise<Delivered> {
  const { agent, office, known, clock } = member
  checkMessage(message)
  if (to === agent.name) {
    throw new AgentMailError(
      'self_send',
      'cannot send message to self',
      'Choose another recipient.',
    )
  }
  // A name that was given holds whatever tmux says, and to start tmux would take longer than all the rest; only
  // where it was used in several panes, tmux knows which of them are there.
  const isGiven =
    to !== office.person &&
    known.some((one) => one.name === to && isNameGiven(one) && one.also === undefined)
  const view = isGiven ? agent.view : await viewOf(agent)
  const isThere = isGiven ? !office.ignored().has(to) : recipientNames(member, view).includes(to)
  if (!isThere) throw recipientNotFound()
  const odd = view ? await oddities(view, known, office, to) : []
  const silence = silenceOfRecipient(known, to, clock.now())
  const told = [...odd.map(warningOf), ...(silence === undefined ? [] : [silence])]
  const message_id = await putInMailbox(office, { from: agent.name, to, message }, { clock })
  return { message_id, ...(told.length > 0 && { warning: told.join('\n') }) }
}

const warningOf = ({ problem, advice }: Oddity) => `${problem}. ${advice}`

export interface MailLetter {
  /** A new one without it. */
  id?: string
  from: string
  to: string
  message: string
}

/** Puts a message into a mailbox, whoever it is from, and gives its id. */
export async function putInMailbox(
  office: PostOffice,
  letter: MailLetter,
  options: { clock?: Clock; isOnce?: boolean } = {},
): Promise<string> {
  const { clock = systemClock, isOnce = false } = options
  const { id = randomId(8), ...rest } = letter
  const message = { id, ...rest, read_flag: false, created_at: rfc3339(clock.now()) }
  await office.mailbox(letter.to).append(message, { isOnce })
  return id
}

export type Received =
  | { from: string; id: string; message: string; at?: string }
  | { status: string }

/** The oldest unread message, which nobody else will get; it is read from now on. */
export async function receive(
  member: Member,
  onDamaged: (line: DamagedLine) => void = warnOfDamage(member.agent.name),
): Promise<Received> {
  const { agent, office } = member
  const taken = await office.mailbox(agent.name).take(onDamaged)
  if (!taken) return { status: 'No unread messages' }
  await noteRead(member, taken.id)
  const at = taken.created_at
  return {
    ...{ from: taken.from, id: taken.id, message: taken.message },
    ...(typeof at === 'string' && { at }),
  }
}

/** What was answered was read. */
export async function markAnswered(member: Member, id: string): Promise<void> {
  const { agent, office } = member
  if (await office.mailbox(agent.name).markRead(id)) await noteRead(member, id)
}

/** The message is out of the box: whatever fails from here on must not keep it from its reader. */
async function noteRead({ agent, office, known, clock }: Member, id: string): Promise<void> {
  const isListed = known.some(({ name }) => name === agent.name) // the person is not
  if (isListed) {
    await office.recipients
      .setLastRead(agent.name, clock.now())
      .catch((error: Error) => log(`the time of reading was not noted: ${error.message}`))
  }
  await office.receipts(agent.name).note('read', [id], clock.now())
}

export async function setStatus(
  { agent, office, clock }: Member,
  status: Status,
): Promise<{ status: string }> {
  if (agent.name !== office.person)
    await office.recipients.setStatus(agent.name, status, agent.pane, clock.now())
  return { status: 'ok' }
}

export interface ListedRecipient {
  name: string
  is_current: boolean
}

/** Everybody, in window order; I am always among them, ignored windows are not. */
export async function listRecipients(member: Member): Promise<{ recipients: ListedRecipient[] }> {
  const own = member.agent.name
  const names = recipientNames(member, await viewOf(member.agent))
  return { recipients: names.map((name) => ({ name, is_current: name === own })) }
}

/** What a sender should know of the recipients. */
export async function warnings({ agent, office, known }: Member): Promise<string[]> {
  const view = await viewOf(agent)
  return view ? (await oddities(view, known, office)).map(warningOf) : []
}

function recipientNames({ agent, office, known }: Member, view: TmuxView | undefined): string[] {
  const names = view ? namesInView(view, known) : office.recipientNames(known)
  const ignored = office.ignored()
  const isListed = (name: string) => !ignored.has(name) && name !== office.person
  const listed = names.filter((name) => name === agent.name || isListed(name))
  return [...new Set([...listed, agent.name])]
}

/** @param hint `. Did you mean …?` */
export const recipientNotFound = (hint = '') =>
  new AgentMailError(
    'recipient_not_found',
    `recipient not found${hint}`,
    'See who can be reached: agentmail recipients, or the tool list-recipients.',
  )

const warnOfDamage = (name: string) => (line: DamagedLine) =>
  log(
    `mailbox ${JSON.stringify(name)}: passed over a line at byte ${line.offset} that is ${line.reason}; it is kept (agentmail doctor lists all)`,
  )
