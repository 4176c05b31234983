/** What a person looks at in one project: agents, messages, claims, the journal. It changes nothing, and each look is bounded. */
import type { Desk } from '../desk.ts'
import { horizonOf } from '../horizon.ts'
import {
  type AgentSigns,
  type FileCount,
  firstFiles,
  type GoneAgent,
  goneAgents,
  lastWords,
  signsOf,
  type Words,
} from './agent-signs.ts'
import { type ClaimRow, claimsAfter, claimsAround, claimsAt, claimsNamed } from './claim-rows.ts'
import { type JournalRange, JournalWalk } from './journal-walk.ts'
import {
  channelsOf,
  lettersIn,
  type MessageRange,
  type MessageRow,
  messageOfId,
  messagesIn,
} from './message-rows.ts'

export class ProjectOverview {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** By the clock of the database, in microseconds. */
  get nowUs(): number {
    return this.#desk.clock.now() * 1000
  }

  /** What was heard of these agents, and the session of each that is one. */
  signs(agentIds: string[]): Promise<Map<string, AgentSigns>> {
    return signsOf(this.#desk, agentIds)
  }

  /** The newest message of each of these agents, under its name. */
  lastWords(agentIds: string[]): Promise<Map<string, Words>> {
    return lastWords(this.#desk, agentIds)
  }

  /** The first paths that each of these holds. */
  firstFiles(agents: FileCount[]): Promise<Map<string, string[]>> {
    return firstFiles(this.#desk, agents)
  }

  /** Who left or went stale since then, whoever did so last first. */
  gone(sinceUs: number): Promise<GoneAgent[]> {
    return goneAgents(this.#desk, sinceUs)
  }

  /** Newest first, with the beginning of what each says. */
  messages(range: MessageRange): Promise<MessageRow[]> {
    return messagesIn(this.#desk, range)
  }

  /** With all that it says. */
  message(id: number): Promise<MessageRow | undefined> {
    return messageOfId(this.#desk, id)
  }

  channels(): Promise<{ name: string; us: number }[]> {
    return channelsOf(this.#desk)
  }

  /** The ids of the newest messages of a channel that went to a mailbox as well. */
  lettersIn(channel: string, afterId: number): Promise<number[]> {
    return lettersIn(this.#desk, channel, afterId)
  }

  /** By path. */
  claims(after: string, limit: number): Promise<ClaimRow[]> {
    return claimsAfter(this.#desk, after, limit)
  }

  /** Who holds a path, or a folder around it, and what that path is in its normal form. */
  claimsAround(path: string): Promise<{ path: string; claims: ClaimRow[] }> {
    return claimsAround(this.#desk, path)
  }

  claimsAt(paths: string[]): Promise<ClaimRow[]> {
    return claimsAt(this.#desk, paths)
  }

  /** Those in whose paths all these words are. */
  claimsNamed(words: string[], limit: number): Promise<ClaimRow[]> {
    return claimsNamed(this.#desk, words, limit)
  }

  /** Newest first. */
  journal(range: JournalRange): Promise<JournalWalk> {
    return JournalWalk.open(this.#desk, range)
  }

  /** Before when the journal was pruned, in microseconds; 0 where it never was. */
  horizon(): Promise<number> {
    return horizonOf(this.#desk.store, this.#desk.project)
  }
}
