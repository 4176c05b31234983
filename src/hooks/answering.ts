/** Answers the hooks of many sessions in bounded time, and tells a session later what it could not hear when it was due. */
import { hear, type SessionDesk } from '../sessions/hear.ts'
import type { HookAnswer, SessionMoment, Surroundings } from '../sessions/moment.ts'
import { logSeldom } from '../system/log.ts'
import { ifSoon } from '../system/time-limit.ts'
import { closedAnswer } from './closed-answer.ts'
import { type DeskOptions, Desks, keep } from './desk-at.ts'
import {
  nothingToSay,
  type ReadHook,
  readHook,
  refusalOfUnread,
  sessionInUnread,
} from './read-hook.ts'
import { type HookHeaders, readHookHeaders } from './surroundings.ts'
import { hookLimitMs, hookTrouble } from './unanswered.ts'

/** What was not answered in time goes on; so many may. */
const maxUnderWay = 10_000
/** Characters for a session; whoever never listens hears no more than that. */
const maxUnheard = 20_000
/** Part of the time of whoever asks, which is under way for the rest. */
const ownShare = 0.9
/** No model answers so soon. */
const twiceMs = 2000

export interface HookCall {
  client: string
  /** Where the input does not name it. */
  event: string | undefined
  text: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whether whoever asked has gone. */
  isGone(): boolean
  /** Is told of work that may go on after the answer. */
  track(work: Promise<unknown>): void
}

type UnreadCall = Pick<HookCall, 'client' | 'event' | 'text' | 'headers'>

interface AnsweringOptions extends DeskOptions {
  hookMs: number
  /** In place of the one that there is. */
  hear?: typeof hear
  /** Is told of each moment once it was heard. */
  onHeard?(desk: SessionDesk, told: SessionMoment): void
}

export class HookAnswering {
  readonly #options: AnsweringOptions
  readonly #desks: Desks
  /** What a session said of itself last: a request of the client itself says nothing. */
  readonly #said = new Map<string, HookHeaders>()
  /** What a session has still to hear: it was taken for it in the last moment, or when it does not listen. A session that has ended may be resumed. */
  readonly #unheard = new Map<string, string>()
  /** The last moment of each session that is under way. */
  readonly #last = new Map<string, Promise<void>>()
  /** Since when a session goes on for the mail that it was handed at the end of its turn. */
  readonly #goesOn = new Map<string, number>()
  #underWay = 0

  constructor(options: AnsweringOptions) {
    this.#options = options
    this.#desks = new Desks(options)
  }

  /** The JSON for the client. Never throws, and gives `{}` for whatever is no input of a hook. */
  async answer(call: HookCall): Promise<string> {
    try {
      return await this.#answer(readHook(call.client, call.text, call.event), call)
    } catch (error) {
      return this.unread(call, hookTrouble(error), false)
    }
  }

  /** The answer to what is no input of a hook, or too large for one. */
  unread({ client, event, text, headers }: UnreadCall, why: string, isTooLarge: boolean): string {
    logSeldom('hooks that could not be read', `a hook was not understood: ${why}`)
    const given = readHookHeaders(headers)
    const said = given.around ? given : this.#said.get(`${client} ${sessionInUnread(text)}`)
    return this.#isClosed(said)
      ? refusalOfUnread(client, { text, event, isTooLarge }, why)
      : nothingToSay
  }

  async #answer(read: ReadHook, call: HookCall): Promise<string> {
    const { told } = read
    const session = `${told.client} ${told.session}`
    const given = readHookHeaders(call.headers)
    const isSaid =
      told.moment.kind === 'session-start' || given.around || given.project || given.wished
    const said = isSaid ? given : this.#said.get(session)
    if (said) keep(this.#said, session, said)
    if (this.#underWay >= maxUnderWay) return this.#open(read, said, 'too much is under way')
    let why = 'no answer in time'
    const limit = hookLimitMs(told, this.#options.hookMs) * ownShare
    const lateAt = performance.now() + limit
    const isLate = () => performance.now() >= lateAt || call.isGone()
    const hearing = () => this.#hear(told, given.around, { said, isLate })
    const heard = this.#inTurn(session, limit, () => this.#unlessTwice(told, hearing)).catch(
      (error) => {
        why = hookTrouble(error)
        logSeldom('hooks that failed', `a hook of ${told.client} failed: ${why}`)
        return undefined
      },
    )
    call.track(heard)
    const inTime = await ifSoon(limit, async () => ({ answer: await heard }))
    if (inTime?.answer) return this.#inForm(session, read, inTime.answer, call)
    if (!inTime) {
      logSeldom('hooks that took too long', `a hook of ${told.client} took too long`)
      heard.then((answer) => this.#keepUnheard(session, answer))
    }
    return this.#open(read, said, why)
  }

  async #hear(
    told: SessionMoment,
    around: Surroundings | undefined,
    { said, isLate }: { said: HookHeaders | undefined; isLate: () => boolean },
  ): Promise<HookAnswer> {
    this.#options.coordination.checkFile()
    const place = { project: said?.project, wished: said?.wished }
    const desk = await this.#desks.of(told, place)
    const answer = await (this.#options.hear ?? hear)(desk, told, around, isLate)
    this.#options.onHeard?.(desk, told)
    return answer
  }

  /** The moments of one session one after another; one that hangs holds up the next for this long. */
  async #inTurn<T>(session: string, limit: number, work: () => Promise<T>): Promise<T> {
    this.#underWay++
    const before = this.#last.get(session)
    const own = before ? ifSoon(limit, () => before).then(work) : work()
    const over = own.then(
      () => {},
      () => {},
    )
    this.#last.set(session, over)
    try {
      return await own
    } finally {
      this.#underWay--
      if (this.#last.get(session) === over) this.#last.delete(session)
    }
  }

  /** A client with two hooks for the end of a turn tells of it twice: where it goes on for mail, the second is no end. */
  async #unlessTwice(
    { client, session, moment }: SessionMoment,
    hearing: () => Promise<HookAnswer>,
  ): Promise<HookAnswer> {
    const key = `${client} ${session}`
    const isEnd = moment.kind === 'turn-end' && !moment.isAgain
    const since = performance.now() - (this.#goesOn.get(key) ?? Number.NEGATIVE_INFINITY)
    if (isEnd && since < twiceMs) return {}
    const answer = await hearing()
    if (isEnd && answer.mail !== undefined) keep(this.#goesOn, key, performance.now())
    else this.#goesOn.delete(key)
    return answer
  }

  /** It goes on as if nobody had been asked, unless its guard is closed. */
  #open({ told, inForm }: ReadHook, said: HookHeaders | undefined, why: string): string {
    return this.#isClosed(said) ? inForm(closedAnswer(told, why)) : nothingToSay
  }

  #isClosed(said: HookHeaders | undefined): boolean {
    const guard = said?.around?.guard ?? this.#options.config.text('guard')?.trim().toLowerCase()
    return guard === 'closed'
  }

  #inForm(session: string, { told, inForm }: ReadHook, answer: HookAnswer, call: HookCall): string {
    const late = this.#unheard.get(session)
    const text = inForm(late === undefined ? answer : withLate(told, answer, late))
    const isHeard = text !== nothingToSay && !answer.refusal && !call.isGone()
    if (isHeard) this.#unheard.delete(session)
    else if (!answer.refusal) this.#keepUnheard(session, answer)
    return text
  }

  #keepUnheard(session: string, answer: HookAnswer | undefined): void {
    const known = this.#unheard.get(session)
    if (known !== undefined && known.length > maxUnheard) return
    const texts = [known, answer?.context, answer?.mail].filter(Boolean)
    if (texts.length > 0) keep(this.#unheard, session, texts.join('\n\n'))
  }
}

/** A turn that goes on because of mail must end some day: then it is kept for the next. */
function withLate({ moment }: SessionMoment, answer: HookAnswer, late: string): HookAnswer {
  const joined = (text: string | undefined) => (text ? `${late}\n\n${text}` : late)
  if (moment.kind !== 'turn-end') return { ...answer, context: joined(answer.context) }
  return moment.isAgain ? answer : { ...answer, mail: joined(answer.mail) }
}
