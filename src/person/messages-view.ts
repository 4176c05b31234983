/** What was said, of all kinds in one list: messages in channels, and mail in mailboxes. */
import { directChannel, letterIdOf } from '../coordination/messages.ts'
import type { MessageRow } from '../coordination/overview/message-rows.ts'
import { timeText } from '../coordination/time.ts'
import { AgentMailError } from '../errors.ts'
import type { StoredMessage } from '../mailbox/message.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { excerptOf } from './excerpts.ts'
import { headOf, type MailboxHead } from './mail-heads.ts'
import { cursorOf, inNewestOrder, type MessagePlace, placeOf } from './message-place.ts'
import type { MessageHead, MessageView } from './shapes.ts'
import type { SeenProject, Sight } from './sight.ts'

export interface MessagesQuestion {
  project?: string | undefined
  channel?: string | undefined
  /** Said by this name, or to it. */
  agent?: string | undefined
  kind?: 'direct' | 'mailbox' | undefined
  before?: string | undefined
  after?: string | undefined
  limit: number
}

/** In the list, and with what tells how it stands with it. */
interface Listed {
  place: MessagePlace
  seen: SeenProject
  what: { row: MessageRow } | { mail: MailboxHead }
}

/** The newest of those that come after one cursor and before another. */
export async function messagesPage(
  sight: Sight,
  question: MessagesQuestion,
): Promise<{ messages: MessageHead[]; has_more: boolean }> {
  const { limit } = question
  const before = question.before === undefined ? undefined : placeOf(question.before)
  const after = question.after === undefined ? undefined : placeOf(question.after)
  const isBetween = (place: MessagePlace) =>
    (!before || inNewestOrder(place, before) > 0) && (!after || inNewestOrder(place, after) < 0)
  const all: Listed[] = []
  for (const seen of await sight.projects(question.project)) {
    // Both of the places that bound it may be among what is found.
    const bounds = { untilUs: before?.us, fromUs: after?.us, limit: limit + 3 }
    const rows = await stored(seen, question, bounds)
    all.push(...rows.filter(({ place }) => isBetween(place)))
    all.push(...(await mails(sight, seen, question, isBetween)))
  }
  all.sort((one, other) => inNewestOrder(one.place, other.place))
  return { messages: await headsOf(sight, all.slice(0, limit)), has_more: all.length > limit }
}

async function stored(
  seen: SeenProject,
  { channel, agent, kind }: MessagesQuestion,
  bounds: { untilUs: number | undefined; fromUs: number | undefined; limit: number },
): Promise<Listed[]> {
  if (kind === 'mailbox') return []
  const range = { channel, agent, isDirect: kind === 'direct', ...bounds }
  const rows = await seen.project.overview.messages(range)
  return rows.map((row) => ({ place: placeOfRow(seen, row), seen, what: { row } }))
}

/** As many of each mailbox as may be asked for, and one more. */
async function mails(
  sight: Sight,
  seen: SeenProject,
  { channel, agent, limit }: MessagesQuestion,
  isWanted: (place: MessagePlace) => boolean,
): Promise<Listed[]> {
  if (channel !== undefined && !channel.startsWith('@')) return []
  const found: Listed[] = []
  for (const heads of await sight.mail.of(seen, channel?.slice(1))) {
    const enough = found.length + limit + 1
    for (const mail of heads) {
      if (found.length === enough) break
      const isOf = agent === undefined || mail.from === agent || mail.mailbox === agent
      if (mail.isLetter || !isOf) continue
      const place = placeOfMail(seen, mail)
      if (isWanted(place)) found.push({ place, seen, what: { mail } })
    }
  }
  return found
}

const placeOfRow = ({ name }: SeenProject, { us, id }: MessageRow): MessagePlace => ({
  ...{ us, project: name, id: String(id) },
})

const placeOfMail = ({ name }: SeenProject, { us, mailbox, id }: MailboxHead): MessagePlace => ({
  ...{ us, project: name, id: `${mailbox}/${id}` },
})

async function headsOf(sight: Sight, listed: Listed[]): Promise<MessageHead[]> {
  const states = new Map<SeenProject, Awaited<ReturnType<typeof statesOf>>>()
  for (const seen of new Set(listed.map((one) => one.seen))) {
    const rows = listed.flatMap((one) =>
      one.seen === seen && 'row' in one.what ? one.what.row : [],
    )
    states.set(seen, await statesOf(sight, seen, rows))
  }
  return listed.map(({ place, seen, what }) =>
    'row' in what
      ? rowHead(place, what.row, states.get(seen)?.get(what.row.id))
      : mailHeadView(place, what.mail),
  )
}

type Told = Pick<MessageView, 'state' | 'state_at' | 'notified_by'>
const untold: Told = { state: null, state_at: null, notified_by: null }

/** Of those that go to a name. What lies in a mailbox too, that mailbox knows. */
async function statesOf(
  sight: Sight,
  seen: SeenProject,
  rows: MessageRow[],
): Promise<Map<number, Told>> {
  const direct = rows.filter(({ channel }) => channel.startsWith('@'))
  const receipts = await seen.project.receipts.states(direct.map(({ id }) => id))
  const states = new Map<number, Told>()
  for (const [id, { state, state_at, notified_by = null }] of receipts) {
    states.set(id, { state, state_at, notified_by })
  }
  for (const { id, channel } of direct.filter((row) => row.isByMailbox)) {
    const letter = letterIdOf(seen.project.key, id)
    const told = await letterState(sight, seen, channel.slice(1), letter)
    if (told) states.set(id, told)
  }
  return states
}

async function letterState(
  sight: Sight,
  seen: SeenProject,
  mailbox: string,
  id: string,
): Promise<Told | undefined> {
  const head = (await sight.mail.of(seen, mailbox)).flat().find((mail) => mail.id === id)
  if (head) return head
  for (const office of seen.offices) {
    const receipt = office
      .receipts(mailbox)
      .of(new Set([id]))
      .get(id)
    if (receipt) {
      return { state: receipt.state, state_at: receipt.at, notified_by: receipt.by ?? null }
    }
  }
  return undefined
}

const rowHead = (place: MessagePlace, row: MessageRow, told: Told = untold): MessageHead => ({
  cursor: cursorOf(place),
  project: place.project,
  id: place.id,
  kind: 'message',
  from: row.from,
  channel: row.channel,
  subject: row.subject,
  excerpt: excerptOf(row.body),
  at: timeText(row.us),
  state: told.state,
  state_at: told.state_at,
})

const mailHeadView = (place: MessagePlace, mail: MailboxHead): MessageHead => ({
  cursor: cursorOf(place),
  project: place.project,
  id: place.id,
  kind: 'mailbox',
  from: mail.from,
  channel: directChannel(mail.mailbox),
  subject: mail.subject,
  excerpt: mail.excerpt,
  at: timeText(mail.us),
  state: mail.state,
  state_at: mail.state_at,
})

/** Mailbox mail between two moments, newest first. */
export async function mailsBetween(
  sight: Sight,
  projects: SeenProject[],
  {
    sinceUs,
    untilUs,
    agent,
    limit,
  }: { sinceUs: number; untilUs: number; agent?: string | undefined; limit: number },
): Promise<MessageHead[]> {
  const found: Listed[] = []
  for (const seen of projects) {
    const isWanted = ({ us }: MessagePlace) => us > sinceUs && us <= untilUs
    found.push(...(await mails(sight, seen, { agent, limit }, isWanted)))
  }
  found.sort((one, other) => inNewestOrder(one.place, other.place))
  return headsOf(sight, found.slice(0, limit))
}

/** A message of a channel, or mail in a mailbox of an office. */
export type FoundMessage =
  | { kind: 'message'; row: MessageRow }
  | { kind: 'mailbox'; office: PostOffice; mailbox: string; mail: StoredMessage }

export async function findMessage(seen: SeenProject, id: string): Promise<FoundMessage> {
  if (/^\d{1,15}$/.test(id)) {
    const row = await seen.project.overview.message(Number(id))
    if (row) return { kind: 'message', row }
  }
  for (const office of seen.offices) {
    for (const mailbox of office.mailboxNames().filter((name) => id.startsWith(`${name}/`))) {
      const mail = office.mailbox(mailbox).find(id.slice(mailbox.length + 1))
      if (mail) return { kind: 'mailbox', office, mailbox, mail }
    }
  }
  throw new AgentMailError(
    'not_found',
    `there is no message ${JSON.stringify(id.slice(0, 100))} in ${seen.name}`,
    'It may have been removed since. Look at the list again.',
  )
}

export async function messageView(sight: Sight, project: string, id: string): Promise<MessageView> {
  const seen = await sight.project(project)
  const found = await findMessage(seen, id)
  if (found.kind === 'message') {
    const { row } = found
    const told = (await statesOf(sight, seen, [row])).get(row.id) ?? untold
    const head = rowHead(placeOfRow(seen, row), row, told)
    return { ...head, body: row.body, notified_by: told.notified_by }
  }
  const { mailbox, mail, office } = found
  const receipt = office
    .receipts(mailbox)
    .of(new Set([mail.id]))
    .get(mail.id)
  const head = headOf(mailbox, mail, receipt)
  const view = mailHeadView(placeOfMail(seen, head), head)
  return { ...view, body: mail.message, notified_by: head.notified_by }
}

/** Those in which something was said lately, the latest first. */
export async function channelsView(
  sight: Sight,
  project: string | undefined,
): Promise<{ channels: { name: string; at: string }[] }> {
  const newest = new Map<string, number>()
  for (const seen of await sight.projects(project)) {
    for (const { name, us } of await seen.project.overview.channels()) {
      newest.set(name, Math.max(newest.get(name) ?? 0, us))
    }
  }
  const channels = [...newest].sort(([, one], [, other]) => other - one)
  return { channels: channels.map(([name, us]) => ({ name, at: timeText(us) })) }
}
