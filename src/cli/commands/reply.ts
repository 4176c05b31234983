/** agentmail reply: answer what is in the inbox. */
import { answerTo } from '../../addresses/send.ts'
import { Config, type Flags } from '../../config.ts'
import { knownAs } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { ownAgent } from '../../connection/own-session.ts'
import { AgentMailError } from '../../errors.ts'
import { hasName } from '../../mailbox/agent.ts'
import { joinOffice, type Member, markAnswered, memberAs } from '../../mailbox/member.ts'
import type { StoredMessage } from '../../mailbox/message.ts'
import { log } from '../../system/log.ts'
import { type Command, flagText } from '../command.ts'
import { connectedIfThere, placeOptions } from '../coordination.ts'
import { nextStep } from '../inbox/item.ts'
import { needs, type OwnInbox, openInbox } from '../inbox/own-inbox.ts'
import { othersFor, printSent } from '../letterbox.ts'
import { pipedText } from '../piped-text.ts'

export const command: Command = {
  usage: '<id> [<text>] [--as <name>]',
  summary: 'Answer whoever sent you something.',
  details:
    'The id is that of agentmail inbox, also of what was read; what is answered is read. Text piped to standard input is the answer,\nawaited to its end; if that is empty, the last argument is. It holds at most 64KB.',
  options: {
    as: {
      type: 'string',
      value: 'name',
      about:
        'who you are, by name or agent_id; default: AGENTMAIL_AGENT, your tmux pane or window, else the person',
    },
    ...placeOptions,
  },
  maxPositionals: 2,

  async run({ flags, positionals: [id, word], json }) {
    if (!id) {
      throw new AgentMailError(
        'missing_arguments',
        'answer to what?',
        'Write agentmail reply <id> <text>; agentmail inbox shows the ids.',
      )
    }
    const around = new Config(flags)
    const config = await withOwnName(around)
    const find = async (connection: Connection | undefined) => {
      const inbox = await openInbox(flags, config, connection)
      const sender = connection ? await senderOf(flags, around, connection, inbox) : inbox.given
      return { inbox, sender, item: await findItem(inbox, connection, id) }
    }
    const { inbox, sender, item } = (await connectedIfThere(flags, find)) ?? (await find(undefined))
    const message = (await pipedText(word !== undefined)) ?? word ?? ''
    const { name, office } = inbox
    const isOther = flagText(flags.as) !== undefined || !hasName(config)
    const asOther = office && memberAs(name, office)
    const own = {
      sender: { name: sender },
      member: isOther || !office ? asOther : await joinOffice(config),
      ...othersFor(config),
    }
    const sent = await answerTo(own, item, message)
    await markRead(flags, inbox, own.member, item).catch((error: Error) =>
      log(`what was answered could not be marked as read: ${error.message}`),
    )
    await printSent(sent, json)
    return 0
  },
}

/** Exactly one: whoever is named, else the agent of the session around, where it has the name. */
async function senderOf(
  flags: Flags,
  config: Config,
  connection: Connection,
  { name, given }: OwnInbox,
): Promise<string> {
  if (flagText(flags.as) !== undefined) {
    await knownAs(connection, { name: given })
    return given
  }
  const own = await ownAgent(config, connection)
  return own?.name === name ? own.agent_id : given
}

interface Found {
  id: string
  from: string
  isMessage: boolean
}

/** Nobody answers what they have not seen. */
async function markRead(
  flags: Flags,
  { name, given }: OwnInbox,
  member: Member | undefined,
  { id, isMessage }: Found,
): Promise<void> {
  if (!isMessage && member) await markAnswered(member, id)
  if (!isMessage) return
  await connectedIfThere(flags, (connection) =>
    connection.answered({ name, id: Number(id), agent: given }),
  )
}

async function findItem(
  inbox: OwnInbox,
  connection: Connection | undefined,
  id: string,
): Promise<Found> {
  const mail = mailOf(inbox, id)
  if (mail) return { id, from: mail.from, isMessage: false }
  const message = connection && (await messageOf(connection, inbox.name, id))
  if (message) return { ...message, isMessage: true }
  for (const item of await needs(inbox)) {
    if (item.id !== id && item.id !== `${id}.md`) continue
    throw new AgentMailError(
      'invalid_request',
      item.kind === 'draft'
        ? `${id} is a draft, and waits for your decision`
        : `nobody knows whether the mail ${id} was sent`,
      `Settle it: ${nextStep(item)}`,
    )
  }
  throw new AgentMailError(
    'not_found',
    `nothing in the inbox of ${inbox.name} has the id ${JSON.stringify(id)}`,
    'agentmail inbox --all shows the ids; --as <name> says whose inbox it is.',
  )
}

/** The newest of that id, read or not. */
function mailOf({ office, name }: OwnInbox, id: string): StoredMessage | undefined {
  let found: StoredMessage | undefined
  office?.mailbox(name).lookThrough((message) => {
    if (message.id === id) found = message
  })
  return found
}

async function messageOf(
  connection: Connection,
  name: string,
  id: string,
): Promise<{ id: string; from: string } | undefined> {
  const [, digits] = /^#?(\d{1,15})$/.exec(id) ?? []
  if (digits === undefined || Number(digits) === 0) return undefined
  const request = { name, all: true, after_id: Number(digits) - 1, limit: 1 }
  const { inbox } = await connection.inbox(request)
  return inbox.find((entry) => entry.id === String(Number(digits)))
}
