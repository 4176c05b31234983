/** What the person says: to a name, in a channel, or as an answer; and that they have read what was said to them. */
import { personRole } from '../../addresses/person.ts'
import { placeAt } from '../../addresses/place.ts'
import { answerTo, type Registered } from '../../addresses/send.ts'
import { actingAs } from '../../connection/acting.ts'
import { LocalConnection } from '../../connection/local-connection.ts'
import { directChannel, titleOf } from '../../coordination/messages.ts'
import { AgentMailError } from '../../errors.ts'
import { markAnswered, memberAs } from '../../mailbox/member.ts'
import { checkMessage } from '../../mailbox/message.ts'
import { log } from '../../system/log.ts'
import type { SentView } from '../shapes.ts'
import { type FoundMessage, findMessage } from './messages-view.ts'
import type { SeenProject, Sight } from './sight.ts'

/** The person is registered for it, as a guest, and leaves afterwards. */
export function asPerson<T>(
  { coordination, book, machine, person }: Sight,
  { name, project }: SeenProject,
  work: (agentId: string) => Promise<T>,
): Promise<T> {
  const own = { key: project.key, name }
  const place = placeAt(machine, { pane: null })
  const connection = new LocalConnection(coordination, { own, book, place, through: name })
  const who = { name: person, role: personRole, isAnyOf: true }
  return actingAs(connection, who, ({ agent_id }) => work(agent_id))
}

export async function sendAsPerson(
  sight: Sight,
  { project, channel, text }: { project: string; channel: string; text: string },
): Promise<SentView> {
  return say(sight, await sight.project(project), channel, text)
}

async function say(
  sight: Sight,
  seen: SeenProject,
  channel: string,
  body: string,
): Promise<SentView> {
  checkMessage(body)
  const subject = titleOf(body)
  if (subject === '') {
    throw new AgentMailError('no_message', 'no message provided', 'Give the text to send.')
  }
  const { project } = seen
  const { message_id, note, warning } = await asPerson(sight, seen, (agent_id) =>
    sight.book.post(project, { agent_id, channel, subject, body }),
  )
  const told = (await silenceOf(sight, seen, channel, message_id)) ?? note ?? warning
  return { message_id: String(message_id), warning: told ?? null }
}

/** Whoever reads a mailbox need not be registered to read it. */
async function silenceOf(
  { person }: Sight,
  { project }: SeenProject,
  channel: string,
  messageId: number,
): Promise<string | undefined> {
  const name = channel.startsWith('@') ? channel.slice(1) : person
  if (name === person || (await project.messages.isByMailbox(messageId))) return undefined
  return project.silence(name)
}

/** To whoever said it; what was answered is read. */
export async function replyAsPerson(
  sight: Sight,
  { project, id, text }: { project: string; id: string; text: string },
): Promise<SentView> {
  const seen = await sight.project(project)
  const found = await findMessage(seen, id)
  const sent =
    found.kind === 'message'
      ? await say(sight, seen, answerChannel(sight, found.row), text)
      : await answerMail(sight, seen, found, text)
  await markRead(sight, seen, found).catch((error: Error) =>
    log(`what was answered could not be marked as read: ${error.message}`),
  )
  return sent
}

/** Who answers themselves goes on in the same place. */
const answerChannel = (
  { person }: Sight,
  { from, channel }: { from: string; channel: string },
): string => (from === person ? channel : directChannel(from))

async function answerMail(
  sight: Sight,
  seen: SeenProject,
  { office, mail }: Extract<FoundMessage, { kind: 'mailbox' }>,
  text: string,
): Promise<SentView> {
  const { person } = sight
  const own = {
    ...{ person, sender: { name: person }, member: memberAs(person, office) },
    hasRegistered: () => true,
    registered: async () => registeredIn(sight, seen),
  }
  const sent = await answerTo(own, { from: mail.from, isMessage: false }, text)
  const warning = sent.warning ?? (await sent.namesake?.()) ?? null
  return { message_id: sent.message_id, warning }
}

/** The agents of a project, for whoever writes by a mailbox. */
const registeredIn = (sight: Sight, { project, name, offices }: SeenProject): Registered => ({
  machine: sight.machine,
  async names(only) {
    const { agents } = await project.agents.list({ agent: only })
    const isTold = (one: string) => (only === undefined ? one !== sight.person : one === only)
    return agents.map((agent) => agent.name).filter(isTold)
  },
  async standings(only) {
    const { agents } = await project.standings({ agent: only })
    return agents.filter((agent) => only === undefined || agent.name === only)
  },
  silence: (one) => project.silence(one),
  hasMailbox: async (one) => offices.some((office) => office.recipientNames().includes(one)),
  post: (_, letter) =>
    asPerson(sight, { project, name, offices }, (agent_id) =>
      sight.book.post(project, { agent_id, ...letter }),
    ),
})

/** Those of them that are to the person; others are left as they are. */
export async function readAsPerson(
  sight: Sight,
  { project, ids }: { project: string; ids: string[] },
): Promise<void> {
  const seen = await sight.project(project)
  for (const id of new Set(ids)) {
    const found = await findMessage(seen, id).catch((error) => {
      if (AgentMailError.is(error, 'not_found')) return undefined
      throw error
    })
    if (found) await markRead(sight, seen, found)
  }
}

async function markRead(
  { person }: Sight,
  { project }: SeenProject,
  found: FoundMessage,
): Promise<void> {
  if (found.kind === 'mailbox') {
    if (found.mailbox === person) await markAnswered(memberAs(person, found.office), found.mail.id)
  } else if (found.row.channel === directChannel(person)) {
    await project.answered({ name: person, id: found.row.id, agent: person })
  }
}
