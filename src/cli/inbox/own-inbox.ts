/** The inbox of a name, of both kinds: mail in this repository, messages in its channel; and what else waits for the person. */
import { personOf, personRole } from '../../addresses/person.ts'
import type { Config, Flags } from '../../config.ts'
import { actingAs, ask } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import { textOfMessage } from '../../coordination/inbox/sent.ts'
import { directChannel } from '../../coordination/messages.ts'
import { AgentMailError } from '../../errors.ts'
import { hasName, whoAmI } from '../../mailbox/agent.ts'
import { memberAs, receive } from '../../mailbox/member.ts'
import type { StoredMessage } from '../../mailbox/message.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import type { InboxItem } from '../../person/watching/needs-person.ts'
import { flagText } from '../command.ts'
import { agentNameOf } from '../coordination.ts'
import { oldestFirst, type Showing } from './item.ts'

/** Of what was read, no more is shown of each kind. */
const mostRead = 500
const messagesAtOnce = 500

/** Who one is, and what that one has here. */
export interface OwnInbox {
  config: Config
  name: string
  /** As it was said: the id of an agent, or its name. */
  given: string
  isPerson: boolean
  /** Nothing outside a repository. */
  office: PostOffice | undefined
}

/** Who has no name is the person. */
export async function openInbox(
  flags: Flags,
  config: Config,
  connection: Connection | undefined,
): Promise<OwnInbox> {
  const own = hasName(config) ? async () => (await whoAmI(config)).name : async () => person
  const person = personOf(config)
  const given = flagText(flags.as) ?? (await own())
  const name = connection ? await agentNameOf(connection, given) : given
  const office = await PostOffice.locate(config).catch((error) => {
    if (AgentMailError.is(error, 'not_in_repository')) return undefined
    throw error
  })
  office?.check()
  return { config, name, given, isPerson: name === person, office }
}

/** Oldest first; nothing is marked. */
export async function lookInto(
  inbox: OwnInbox,
  connection: Connection | undefined,
  all: boolean,
): Promise<InboxItem[]> {
  const messages = connection ? await messagesFor(connection, { name: inbox.name, all }) : []
  return [...mailFor(inbox, all), ...messages, ...(await needs(inbox))].sort(oldestFirst)
}

export async function needs({ config, isPerson }: OwnInbox): Promise<InboxItem[]> {
  if (!isPerson) return []
  const { needsPerson } = await import('../../person/watching/needs-person.ts') // to load it takes a while
  return needsPerson(config)
}

/** What lies in the mailbox of this repository. */
export function mailFor({ office, name }: OwnInbox, all: boolean): InboxItem[] {
  const mailbox = office?.mailbox(name)
  if (!mailbox) return []
  const waiting = mailbox.unread()
  if (!all) return waiting.map(mailItem)
  let read: StoredMessage[] = []
  mailbox.lookThrough((message) => {
    if (message.read_flag !== true) return
    read.push(message)
    if (read.length >= 2 * mostRead) read = read.slice(-mostRead)
  })
  return [...read.slice(-mostRead), ...waiting].map(mailItem)
}

const mailItem = ({ id, from, message, created_at }: StoredMessage): InboxItem => ({
  ...{ id, from, at: typeof created_at === 'string' ? created_at : null },
  kind: 'mailbox',
  text: message,
})

export async function messagesFor(
  connection: Connection,
  request: { name: string; all: boolean; after_id?: number },
): Promise<InboxItem[]> {
  const found: InboxItem[] = []
  let { after_id } = request
  for (;;) {
    const asked = { ...request, after_id, limit: messagesAtOnce }
    const { inbox, has_more } = await connection.inbox(asked)
    found.push(...inbox)
    if (!has_more) return found
    after_id = Number(inbox.at(-1)?.id)
  }
}

/** Takes what waits there of this mail, and shows it; what another has taken meanwhile is not shown. */
export async function takeMail(
  { office, name }: OwnInbox,
  count: number,
  show: Showing['show'],
): Promise<void> {
  if (!office) return
  const member = memberAs(name, office)
  for (let taken = 0; taken < count; taken++) {
    const mail = await receive(member)
    if ('status' in mail) return
    const { id, from, message: text, at = null } = mail
    show({ id, from, at, kind: 'mailbox', text })
  }
}

/** Has these messages handed over to whoever has the name, and shows them; what another was handed meanwhile is not shown. */
export async function takeMessages(
  { given, isPerson }: OwnInbox,
  connection: Connection,
  ids: string[],
  show: Showing['show'],
): Promise<void> {
  const left = new Set(ids)
  if (left.size === 0) return
  const who = { name: given, role: isPerson ? personRole : undefined }
  await actingAs(connection, who, async ({ agent_id, name }) => {
    while (left.size > 0) {
      const { messages } = await ask(connection, 'read_messages', {
        ...{ agent_id, unread: true, channel: directChannel(name) },
        limit: Math.min(left.size, messagesAtOnce),
      })
      if (messages.length === 0) return
      for (const { id, sender_name, created_at, subject, body } of messages) {
        // What was read by a cursor is handed over again, and was seen; what another of the name says was not.
        const isNew = left.delete(String(id)) || sender_name === name
        const text = textOfMessage(subject, body)
        if (isNew) {
          show({ id: String(id), from: sender_name, at: created_at, kind: 'message', text })
        }
      }
    }
  })
}
