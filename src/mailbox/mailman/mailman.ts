/** The mailman: watches the mailboxes of one tmux session and nudges agents that have mail waiting. */
import { type FSWatcher, watch } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'
import { ifSoon } from '../../system/time-limit.ts'
import type { StoredMessage } from '../message.ts'
import type { PostOffice } from '../post-office.ts'
import type { Recipient } from '../recipient.ts'
import { type Pane, panesFrom } from '../tmux.ts'
import { watchTmux } from '../tmux-watch.ts'
import { namesHeld, noteGone, panesOf } from '../whereabouts.ts'
import { LineAndBell } from './line-and-bell.ts'
import { NoticeReceipts } from './notice-receipts.ts'
import { type Newest, nextNudge, type Told, toldOf } from './nudge-times.ts'
import type { OtherMail } from './other-mail.ts'
import type { OwnWays } from './own-ways.ts'
import { Readiness, type Settled } from './readiness.ts'
import { typeNudge } from './typing.ts'

/** How agents are told: keys typed where that is safe, a line and a bell only, or not at all. */
export const nudgeWays = ['keys', 'line', 'off'] as const

export type MailmanEvent =
  | { event: 'settled'; agent: string; pane: string }
  | { event: 'nudged'; agent: string; by: 'keys'; pane: string }
  | { event: 'nudged'; agent: string; by: 'line'; reason: string }
  | { event: 'failed'; reason: string }

export interface MailmanOptions {
  office: PostOffice
  /** `$1`: of other sessions only those are nudged that have registered here, whatever they call their windows. */
  session: string
  /** Process id of the tmux server, where it is known. */
  server: number[]
  clock: Clock
  way: (typeof nudgeWays)[number]
  nudgeMs: number
  /** What else agents are told of. */
  otherMail?: OtherMail | undefined
  /** Whose mail is left to others for a while. */
  ownWays?: OwnWays | undefined
  onEvent: (event: MailmanEvent) => void
}

/** What waits for an agent, and where it may be told. */
interface Found extends Newest {
  settled: Settled | string
  panes: Pane[]
  isNew: boolean
}

/** Everything is looked at this often, should a change have gone unnoticed. */
const safetyMs = 60_000
/** How soon an agent is tried again when something went wrong. */
const retryMs = 2_000
/** How long mail waits for the screen of an agent that has just said `ready` to settle. */
const patienceMs = 10_000
/** How long a mailman that is stopped ends what it has begun to tell. */
const lastWordsMs = 3_000

export class Mailman {
  readonly #options: MailmanOptions
  readonly #readiness: Readiness
  readonly #watchers: FSWatcher[] = []
  readonly #told = new Map<string, Told>()
  /** Agents that are being nudged: each has its own pace, and none waits for another. */
  readonly #busy = new Set<string>()
  /** What was begun and is to be noted: whoever was told must not be told again by the next mailman. */
  readonly #telling = new Set<Promise<void>>()
  readonly #lineAndBell: LineAndBell
  readonly #receipts: NoticeReceipts
  /** Agents whose mailbox cannot be read; said once each. */
  readonly #troubled = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** Of several wishes to look, the earliest counts. */
  #dueAt = Number.POSITIVE_INFINITY
  #stop: ((error?: Error) => void) | undefined
  #isStopped = false

  /** It watches from now on: what agents have said before does not let anybody type. */
  constructor(options: MailmanOptions) {
    const { office, clock, onEvent } = options
    this.#options = options
    this.#lineAndBell = new LineAndBell(options.session)
    this.#receipts = new NoticeReceipts(options)
    this.#readiness = new Readiness(office.recipients.list(), clock, (agent, pane) =>
      onEvent({ event: 'settled', agent, pane }),
    )
  }

  /** Works until `stop` is called; throws `tmux_lost` when the session ends. */
  async run(): Promise<void> {
    const { server, session, otherMail } = this.#options
    const stopped = new Promise<void>((resolve, reject) => {
      this.#stop = (error) => (error ? reject(error) : resolve())
    })
    const unwatch = watchTmux(
      async () => {
        const panes = await panesFrom(session)
        return [...server, ...panes.flatMap((pane) => (pane.session === session ? pane.pid : []))]
      },
      () => this.#stop?.(new AgentMailError('tmux_lost', 'the tmux session has ended')),
    )
    this.#watchFolders()
    this.#receipts.makeUpForMail((error) => this.#fail(error))
    const safety = setInterval(() => {
      this.#watchFolders()
      this.#lookSoon(0)
    }, safetyMs)
    this.#lookSoon(0)
    otherMail?.run({ news: () => this.#lookSoon(0), trouble: (reason) => this.#fail(reason) })
    try {
      await stopped
      await ifSoon(lastWordsMs, () => Promise.all(this.#telling))
    } finally {
      otherMail?.close().catch(() => {})
      unwatch()
      clearInterval(safety)
      clearTimeout(this.#timer)
      for (const watcher of this.#watchers) watcher.close()
    }
  }

  /** Anew at each safety check, since a folder may have been removed and made again. */
  #watchFolders(): void {
    const { office } = this.#options
    for (const watcher of this.#watchers.splice(0)) watcher.close()
    try {
      office.create()
      for (const folder of [office.dir, office.mailboxesDir]) {
        const watcher = watch(folder, (_, file) => {
          if (file?.endsWith('.jsonl') ?? true) this.#lookSoon(50) // not at its own log
        })
        watcher.on('error', (error) => this.#fail(error))
        this.#watchers.push(watcher)
      }
    } catch (error) {
      this.#fail(error) // no more watches to be had: the safety check goes on
    }
  }

  /** Ends what it has begun to tell, and begins nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#stop?.()
  }

  #toTheEnd(work: Promise<void>): Promise<void> {
    const told = work.finally(() => this.#telling.delete(told))
    this.#telling.add(told)
    return told
  }

  #lookSoon(wantedMs: number): void {
    const delayMs = Math.min(wantedMs, safetyMs)
    const due = Date.now() + delayMs
    if (due >= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = due
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY
      this.#look().catch((error) => this.#fail(error))
    }, delayMs)
  }

  #fail(error: unknown): void {
    if (AgentMailError.is(error, 'tmux_lost')) this.#stop?.(error)
    else this.#options.onEvent({ event: 'failed', reason: reasonOf(error) })
  }

  async #look(): Promise<void> {
    const { office, session, clock, way, nudgeMs, otherMail, ownWays } = this.#options
    office.check() // git may track it by now
    const panes = await panesFrom(session)
    await noteGone(office, panes)
    const recipients = office.recipients.list()
    const held = namesHeld(panes, recipients)
    const placesOf = (recipient: Recipient) => panesOf(recipient, session, held)
    this.#readiness.observe(recipients, (recipient) => paneOf(recipient, placesOf(recipient)))
    if (way === 'off') return
    const ignored = office.ignored()
    const here = recipients.filter((one) => !ignored.has(one.name) && placesOf(one).length > 0)
    otherMail?.watch(here.map(({ name }) => name))
    for (const recipient of here) this.#receipts.makeUpForMessages(recipient)
    for (const recipient of here) {
      const { name, status } = recipient
      if (status !== 'ready' || this.#busy.has(name)) continue
      const newest = { mail: this.#newestMail(name), elsewhere: otherMail?.known(name) }
      if (!newest.mail && !newest.elsewhere) ownWays?.startOver(name)
      if (!newest.mail && !newest.elsewhere) continue
      const next = nextNudge(this.#toldTo(recipient, newest), newest, nudgeMs)
      if (!next) continue
      const isDue = next.at <= clock.now()
      const freeAt = isDue ? (ownWays?.freeAt(recipient, newest.elsewhere) ?? 0) : 0
      const dueIn = Math.max(next.at, freeAt) - clock.now()
      if (dueIn > 0) this.#lookSoon(dueIn)
      else this.#startNudge(name, next.isNew)
    }
  }

  #newestMail(agent: string): StoredMessage | undefined {
    try {
      return this.#options.office.mailbox(agent).newestUnread()
    } catch (error) {
      if (!this.#troubled.has(agent)) this.#fail(error)
      this.#troubled.add(agent)
      return undefined
    }
  }

  #toldTo(recipient: Recipient, { mail }: Newest): Told | undefined {
    const { name } = recipient
    const told = this.#told.get(name) ?? toldOf(recipient, mail, this.#options.clock.now())
    if (told) this.#told.set(name, told)
    return told
  }

  #startNudge(agent: string, isNew: boolean): void {
    this.#busy.add(agent)
    this.#nudge(agent, isNew)
      .then(
        () => this.#options.nudgeMs,
        (error) => {
          this.#fail(error)
          return retryMs
        },
      )
      .then((againMs) => {
        this.#busy.delete(agent)
        this.#lookSoon(againMs)
      })
  }

  async #nudge(agent: string, isNew: boolean): Promise<void> {
    const { office, session, clock, nudgeMs, otherMail, ownWays } = this.#options
    const settled = await this.#placeToType(agent, isNew)
    const elsewhere = await otherMail?.look(agent)
    const all = await panesFrom(session)
    const mail = this.#newestMail(agent)
    const known = office.recipients.list()
    const recipient = known.find(({ name, status }) => name === agent && status === 'ready')
    const before = this.#told.get(agent)
    const isStill = !isNew || nextNudge(before, { mail, elsewhere }, nudgeMs)?.isNew
    if (!(mail || elsewhere) || !isStill || !recipient) return // meanwhile it has read its mail, or works
    if ((ownWays?.freeAt(recipient, elsewhere) ?? 0) > clock.now()) return // or was told
    if (this.#isStopped) return
    const panes = panesOf(recipient, session, namesHeld(all, known))
    await this.#toTheEnd(this.#tell(agent, { settled, panes, mail, elsewhere, isNew }))
  }

  async #tell(agent: string, found: Found): Promise<void> {
    const { office, clock, otherMail, ownWays, onEvent } = this.#options
    const { settled, panes, mail, elsewhere, isNew } = found
    const before = this.#told.get(agent)
    const reason =
      typeof settled === 'string'
        ? settled
        : panes.some(({ id }) => id === settled.pane)
          ? await typeNudge(settled.pane, settled.screen)
          : 'its pane is gone'
    if (reason !== undefined) await this.#lineAndBell.ring(agent, panes)
    const now = clock.now()
    const since = isNew ? now : (before?.since ?? now)
    const id = mail?.id ?? before?.id
    const told = { id, number: elsewhere?.id ?? before?.number, at: now, since }
    const by = reason === undefined ? 'keys' : 'line'
    this.#told.set(agent, told)
    ownWays?.startOver(agent)
    if (reason !== undefined) onEvent({ event: 'nudged', agent, by: 'line', reason })
    else if (typeof settled !== 'string')
      onEvent({ event: 'nudged', agent, by: 'keys', pane: settled.pane })
    await office.recipients.setNotified(agent, told)
    if (otherMail && elsewhere) {
      const noted = otherMail.told(agent, elsewhere.id, by)
      this.#toTheEnd(noted.catch((error) => this.#fail(error))) // mail does not wait for a server
    }
    if (id !== undefined) await this.#receipts.noteMail(agent, id, now, by)
  }

  /** Where the nudge may be typed, or why nowhere. */
  async #placeToType(agent: string, isNew: boolean): Promise<Settled | string> {
    if (this.#options.way === 'line') return 'AGENTMAIL_NUDGE is line'
    if (!isNew) return 'it was told of this mail before'
    return this.#readiness.settled(agent, patienceMs)
  }
}

/** The pane that the agent spoke from; where that is not known, the only one that bears its name. */
function paneOf({ status_pane }: Recipient, panes: Pane[]): string | undefined {
  if (status_pane) return panes.find(({ id }) => id === status_pane)?.id
  return panes.length === 1 ? panes[0]?.id : undefined
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
