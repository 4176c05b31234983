/** Hands a session what is unread for it; the end of a turn is where that, and nothing else, keeps it going. */
import type { Write } from '../../store/batch.ts'
import { letGo } from '../claims/taking.ts'
import { countUnread } from '../inbox/marks.ts'
import type { FittingMessages } from '../inbox/unread.ts'
import { broadcast, directChannel, type MessageEntry } from '../messages.ts'
import { actAs, type SessionCaller, type SessionParts } from './acting.ts'
import { announceEdits } from './edits.ts'
import type { Session } from './session-rows.ts'
import { namesOf } from './waking.ts'

export interface HandedOver {
  session: Session
  messages: MessageEntry[]
  /** They are too long to be handed over. */
  tooLong: MessageEntry[]
  /** How many stay unread beside those. */
  left: number
}

export interface HandOverRequest {
  /** Whether this is the end of a turn: of one that goes on since it has mail, else for good. */
  isEnd: boolean
  /** Whether messages are handed over. */
  isHanding: boolean
  /** Whether mail of another kind is going to be. */
  hasOther: boolean
  /** How many characters there is room for. */
  room: number
  /** How many of them are taken already. */
  taken?: number
  lengthOf(message: MessageEntry): number
  /** Of the words on one that is too long. */
  lengthOfNotice?(message: MessageEntry): number
  /** Whether nobody listens any more: then nothing is handed over, and stays unread. */
  isLate?(): boolean
}

/** At the end of a turn its edits are announced; where nothing is handed over, that is the end, and what hooks have claimed is released. */
export async function handOver(
  parts: SessionParts,
  caller: SessionCaller,
  request: HandOverRequest,
): Promise<HandedOver> {
  const { isEnd, isHanding, hasOther, isLate = never } = request
  const { desk } = parts
  const { session, messages, tooLong, isAll } = await actAs(
    parts,
    caller,
    async (write, { session, agent, facts }) => {
      if (isEnd) await announceEdits(write, desk, session.key, agent)
      const mail = isHanding ? await hand(write, parts, session, request) : nothing
      const isHanded = mail.messages.length > 0 || mail.tooLong.length > 0
      const isAtWork = !isEnd || isHanded || (hasOther && !isLate())
      facts.state = isAtWork ? 'work' : 'ready'
      const isOver = !isAtWork && facts.auto_claim !== 'session'
      if (isOver) await letGo(write, desk, agent, { isByHook: true })
      return { session, ...mail }
    },
  )
  const left = isAll ? 0 : (await waitingFor(parts, session)) - tooLong.length
  return { session, messages, tooLong, left }
}

const never = () => false
const nothing = { messages: [], tooLong: [], isAll: true }

async function hand(
  write: Write,
  parts: SessionParts,
  session: Session,
  request: HandOverRequest,
): Promise<FittingMessages> {
  const { isEnd, room, taken = 0, lengthOf, lengthOfNotice = () => 0, isLate = never } = request
  let rest = room - taken
  const isTooLong = (message: MessageEntry) => lengthOf(message) > room
  const found = await parts.unread.handFitting(write, session, {
    channels: await channelsOf(parts, session),
    isTooLong,
    fits: (message) => {
      const length = isTooLong(message) ? lengthOfNotice(message) : lengthOf(message)
      if (length > rest) return false
      rest -= length
      return true
    },
    // That somebody went stale is no reason to go on with a turn.
    isWorthIt: (found) =>
      !isLate() && (!isEnd || found.length === 0 || !found.every(isStaleNotice)),
  })
  const ids = found.tooLong.map(({ id }) => id)
  const news = await parts.receipts.notifiedIn(write, ids, 'hook')
  // Once they are told of, they alone are no reason to go on either.
  const tooLong = isEnd ? found.tooLong.filter(({ id }) => news.includes(id)) : found.tooLong
  return { ...found, tooLong }
}

/** How many messages wait for a session. */
const waitingFor = async (parts: SessionParts, session: Session): Promise<number> =>
  countUnread(parts.desk, session, await channelsOf(parts, session))

const channelsOf = async (parts: SessionParts, session: Session): Promise<string[]> => [
  broadcast,
  ...(await namesOf(parts, session)).map(directChannel),
]

const isStaleNotice = ({ channel, subject }: MessageEntry): boolean =>
  channel === broadcast && subject === 'agent-stale'
