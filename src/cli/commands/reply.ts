/** agentmail reply: answer what is in the inbox. */
import { answerTo } from '../../addresses/send.ts'
import { Config } from '../../config.ts'
import type { Connection } from '../../connection/connection.ts'
import { AgentMailError } from '../../errors.ts'
import { hasName } from '../../mailbox/agent.ts'
import { joinOffice, memberAs } from '../../mailbox/member.ts'
import type { StoredMessage } from '../../mailbox/message.ts'
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
    'The id is that of agentmail inbox, also of what was read. Text piped to standard input is the answer,\nawaited to its end; if that is empty, the last argument is. It holds at most 64KB.',
  options: {
    as: {
      type: 'string',
      value: 'name',
      about: 'who you are; default: AGENTMAIL_AGENT, your tmux pane or window, else the person',
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
    const config = new Config(flags)
    const find = async (connection: Connection | undefined) => {
      const inbox = await openInbox(flags, config, connection)
      return { inbox, item: await findItem(inbox, connection, id) }
    }
    const { inbox, item } = (await connectedIfThere(flags, find)) ?? (await find(undefined))
    const message = (await pipedText(word !== undefined)) ?? word ?? ''
    const { name, office } = inbox
    const isOther = flagText(flags.as) !== undefined || !hasName(config)
    const asOther = office && memberAs(name, office)
    const own = {
      name,
      member: isOther || !office ? asOther : await joinOffice(config),
      ...othersFor(config),
    }
    await printSent(await answerTo(own, item, message), json)
    return 0
  },
}

interface Found {
  from: string
  isMessage: boolean
}

async function findItem(
  inbox: OwnInbox,
  connection: Connection | undefined,
  id: string,
): Promise<Found> {
  const mail = mailOf(inbox, id)
  if (mail) return { from: mail.from, isMessage: false }
  const from = connection && (await senderOf(connection, inbox.name, id))
  if (from !== undefined) return { from, isMessage: true }
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

async function senderOf(
  connection: Connection,
  name: string,
  id: string,
): Promise<string | undefined> {
  const [, digits] = /^#?(\d{1,15})$/.exec(id) ?? []
  if (digits === undefined || Number(digits) === 0) return undefined
  const request = { name, all: true, after_id: Number(digits) - 1, limit: 1 }
  const { inbox } = await connection.inbox(request)
  return inbox.find((entry) => entry.id === String(Number(digits)))?.from
}
