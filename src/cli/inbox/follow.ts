/** agentmail inbox --follow: what comes, of every kind, each once, until it is stopped or nobody reads it. */
import { connectIfThere } from '../../connection/connect.ts'
import type { Connection } from '../../connection/connection.ts'
import { directChannel } from '../../coordination/messages.ts'
import { AgentMailError } from '../../errors.ts'
import type { InboxItem } from '../../person/watching/needs-person.ts'
import { sleep } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { isRead } from '../output.ts'
import { itemKey, type Showing } from './item.ts'
import { mailFor, messagesFor, needs, type OwnInbox, takeMail, takeMessages } from './own-inbox.ts'

const lookMs = 1000
/** To look through a vault costs more. */
const looksANeed = 5
const waitSeconds = 25

export interface Following {
  inbox: OwnInbox
  show: Showing['show']
  /** Whether what is shown is read by that. */
  isTaking: boolean
  /** What was shown before. */
  shown: InboxItem[]
  /** Messages up to this one were looked at. */
  after: number
}

export async function follow(following: Following): Promise<void> {
  await Promise.all([followMail(following), followNeeds(following), followMessages(following)])
}

async function followMail({ inbox, show, isTaking, shown }: Following): Promise<void> {
  let known = new Set(shown.map(itemKey))
  for (; isRead(); await sleep(lookMs)) {
    const waiting = mailFor(inbox, false)
    const news = waiting.filter((item) => !known.has(itemKey(item)))
    if (isTaking) await takeMail(inbox, waiting.length, show)
    else news.forEach(show)
    known = new Set(waiting.map(itemKey))
  }
}

async function followNeeds({ inbox, show, shown }: Following): Promise<void> {
  const known = new Set(shown.map(itemKey))
  while (inbox.isPerson && isRead()) {
    for (let looks = 0; looks < looksANeed && isRead(); looks++) await sleep(lookMs)
    for (const item of await needs(inbox)) {
      if (!known.has(itemKey(item))) show(item)
      known.add(itemKey(item))
    }
  }
}

/** Where a server goes, it goes on with the next one or the database; where there is neither yet, it looks again. */
async function followMessages(following: Following): Promise<void> {
  while (isRead()) {
    let connection: Connection | undefined
    try {
      connection = await connectIfThere(following.inbox.config)
      while (connection && isRead()) await nextMessages(following, connection)
    } catch (error) {
      if (!AgentMailError.is(error, 'server_unreachable', 'storage')) throw error
      log(`${error.message}; trying again`)
    } finally {
      await connection?.close()
    }
    await sleep(lookMs)
  }
}

async function nextMessages(following: Following, connection: Connection): Promise<void> {
  const { inbox, show, isTaking, after } = following
  const { name } = inbox
  const { messages } = await connection.messages({
    ...{ channel: directChannel(name), after_id: after, wait_seconds: waitSeconds },
  })
  const last = messages.at(-1)
  if (!last) return
  const items = await messagesFor(connection, { name, all: false, after_id: after })
  if (isTaking) {
    const ids = items.map(({ id }) => id)
    await takeMessages(inbox, connection, ids, show)
  } else items.forEach(show)
  following.after = Math.max(last.id, Number(items.at(-1)?.id ?? 0))
}
