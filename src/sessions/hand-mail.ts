/** Hands a session all that is unread for it, of both kinds and at once; what does not fit is counted, and stays unread. */

import type { SessionCaller } from '../coordination/sessions/acting.ts'
import type { Session } from '../coordination/sessions/session-rows.ts'
import type { StoredMessage } from '../mailbox/message.ts'
import type { SessionDesk } from './desk.ts'
import {
  handedText,
  letterText,
  longLetterText,
  longMessageText,
  messageText,
  roomForMail,
} from './mail-text.ts'
import { isToldOf, readersOf, takeFitting, waitingMail } from './session-mailbox.ts'

/** So many letters that are too long are named in one answer. */
const mostNamed = 5
const between = '\n\n'.length
const lengthOf = (text: string): number => text.length + between
const isTooLong = (letter: StoredMessage): boolean => lengthOf(letterText(letter)) > roomForMail

/**
 * The channels first: what is taken out of a mailbox is in nobody's hands but ours.
 * @param options.isHanding whether there is anything to be handed over; else a turn only ends.
 * @param options.isLate whether nobody listens any more: from then on all stays unread.
 */
export async function handMail(
  desk: SessionDesk,
  caller: SessionCaller,
  {
    isEnd,
    isLate,
    isHanding = !isLate(),
  }: { isEnd: boolean; isLate: () => boolean; isHanding?: boolean },
): Promise<{ session: Session; text: string | undefined }> {
  const { sessions } = desk.project
  const found = isHanding ? await sessions.find({ ...caller, place: null }) : undefined
  const readers = found ? readersOf(desk, found) : []
  const named = await lettersToName(desk, readers, isEnd)
  const letters = readers.flatMap((reader) => waitingMail(desk, reader))
  const hasOther = named.length > 0 || letters.some((letter) => !isTooLong(letter))
  const notices = named.map(longLetterText)
  let room = roomForMail - lengthOfAll(notices)
  const request = { isEnd, isHanding, hasOther, isLate, room: roomForMail }
  const { session, messages, tooLong, left } = await sessions.handOver(caller, {
    ...request,
    taken: lengthOfAll(notices),
    lengthOf: (message) => lengthOf(messageText(message)),
    lengthOfNotice: (message) => lengthOf(longMessageText(message)),
  })
  const texts = messages.map((message) => ({
    at: message.created_at,
    text: messageText(message),
  }))
  room -= lengthOfAll([...texts.map(({ text }) => text), ...tooLong.map(longMessageText)])
  const fits = (letter: StoredMessage) => {
    const length = lengthOf(letterText(letter))
    if (isLate() || length > room) return false
    room -= length
    return true
  }
  for (const reader of hasOther ? readers : []) {
    for (const letter of await takeFitting(desk, reader, { fits, isTooLong })) {
      texts.push({ at: letter.created_at ?? '', text: letterText(letter) })
    }
  }
  const isNaming = named.length > 0 && !isLate()
  const waiting = readers.flatMap((reader) => (hasOther ? waitingMail(desk, reader) : []))
  const text = handedText({
    name: session.name,
    messages: inTime(texts),
    tooLong: [...tooLong.map(longMessageText), ...(isNaming ? notices : [])],
    left: { messages: left, mail: waiting.length - (isNaming ? named.length : 0) },
  })
  // Another reader was faster: there is nothing to go on for.
  const isOver = isEnd && hasOther && text === undefined
  if (isOver)
    await sessions.handOver(caller, {
      ...request,
      hasOther: false,
      isHanding: false,
      lengthOf: () => 0,
    })
  return { session, text }
}

/** Those that are too long, a few of them; at the end of a turn only if their reader was not told yet. */
async function lettersToName(
  desk: SessionDesk,
  readers: Session[],
  isEnd: boolean,
): Promise<StoredMessage[]> {
  const named: StoredMessage[] = []
  for (const reader of readers) {
    for (const letter of waitingMail(desk, reader).filter(isTooLong)) {
      if (named.length >= mostNamed) return named
      const isTold = await isToldOf(desk, reader, letter)
      if (!isEnd || !isTold) named.push(letter)
    }
  }
  return named
}

const lengthOfAll = (texts: string[]): number =>
  texts.reduce((sum, text) => sum + lengthOf(text), 0)

/** The oldest first, of both kinds; of what has no time, each stays where it came. */
function inTime(texts: { at: string; text: string }[]): string[] {
  const timeOf = ({ at }: { at: string }) => Date.parse(at) || 0
  return texts.sort((one, other) => timeOf(one) - timeOf(other)).map(({ text }) => text)
}
