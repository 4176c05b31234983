/** agentmail inbox: what is for you, of every kind. */
import { Config } from '../../config.ts'
import type { Connection } from '../../connection/connection.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { directChannel } from '../../coordination/messages.ts'
import type { InboxItem } from '../../person/watching/needs-person.ts'
import { type Command, flagText } from '../command.ts'
import { connectedIfThere, placeOptions } from '../coordination.ts'
import { itemKey, type Showing, showing } from '../inbox/item.ts'
import { lookInto, type OwnInbox, openInbox, takeMail, takeMessages } from '../inbox/own-inbox.ts'

export const command: Command = {
  usage: '[--as <name>] [--all] [--follow] [--read]',
  summary: 'Show what is for you: mail, messages, and what needs the person.',
  details:
    'Oldest first: the mail in your mailbox here, the messages to you (channel @name) and, for the person\n(human, or AGENTMAIL_PERSON), drafts that wait for approval and mails of which nobody knows whether they\nwere sent. It marks nothing unless --read. With --json and --follow, one a line.\nOutside tmux and without a name you are the person. agentmail reply <id> answers.',
  options: {
    as: {
      type: 'string',
      value: 'name',
      about: 'whose inbox; default: AGENTMAIL_AGENT, your tmux pane or window, else the person',
    },
    all: { type: 'boolean', about: 'also what was read: the newest 500 of each kind' },
    follow: { type: 'boolean', about: 'go on with what comes, until Ctrl-C' },
    read: { type: 'boolean', about: 'mark as read what is shown' },
    ...placeOptions,
  },

  async run({ flags, json }) {
    const config = await withOwnName(new Config(flags))
    const [all, isTaking] = [flags.all === true, flags.read === true]
    const isFollowing = flags.follow === true
    const as = flagText(flags.as)
    const output = showing({ json, isFollowing, ...(as !== undefined && { as }) })
    const begin = async (connection: Connection | undefined) => {
      const inbox = await openInbox(flags, config, connection)
      const after = connection ? await lastMessage(connection, inbox.name) : 0
      const shown = await lookInto(inbox, connection, all)
      if (isTaking) await handOver(inbox, connection, { items: shown, all }, output.show)
      else shown.forEach(output.show)
      const ids = shown.filter(({ kind }) => kind === 'message').map(({ id }) => Number(id))
      return { inbox, shown, after: Math.max(after, ids.at(-1) ?? 0) }
    }
    const begun = (await connectedIfThere(flags, begin)) ?? (await begin(undefined))
    output.end()
    if (!isFollowing) return 0
    const { follow } = await import('../inbox/follow.ts')
    await follow({ ...begun, isTaking, show: output.show })
    return 0
  },
}

async function lastMessage(connection: Connection, name: string): Promise<number> {
  const { messages } = await connection.messages({ channel: directChannel(name), limit: 1 })
  return messages.at(-1)?.id ?? 0
}

/** Shows all in their order, and takes what is unread of them in the moment in which it is shown. */
async function handOver(
  inbox: OwnInbox,
  connection: Connection | undefined,
  { items, all }: { items: InboxItem[]; all: boolean },
  show: Showing['show'],
): Promise<void> {
  const unread = all ? await lookInto(inbox, connection, false) : items
  const keys = new Set(unread.map(itemKey))
  for (const run of runsOf(items, (item) => (keys.has(itemKey(item)) ? item.kind : 'read'))) {
    if (run.as === 'mailbox') await takeMail(inbox, run.items.length, show)
    else if (run.as === 'message' && connection) {
      const ids = run.items.map(({ id }) => id)
      await takeMessages(inbox, connection, ids, show)
    } else run.items.forEach(show)
  }
}

/** Neighbours that are treated alike, together. */
function runsOf<As>(
  items: InboxItem[],
  asOf: (item: InboxItem) => As,
): { as: As; items: InboxItem[] }[] {
  const runs: { as: As; items: InboxItem[] }[] = []
  for (const item of items) {
    const as = asOf(item)
    const last = runs.at(-1)
    if (last?.as === as) last.items.push(item)
    else runs.push({ as, items: [item] })
  }
  return runs
}
