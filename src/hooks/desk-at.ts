/** The desk at which a session is heard: the project and the post office of the folder where its client stands. */
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type Here, hereAt, keyAt, machineOf } from '../connection/here.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { isProjectName } from '../names.ts'
import type { SessionDesk, SessionHolds } from '../sessions/hear.ts'
import type { SessionMoment } from '../sessions/moment.ts'
import { worktreeAbove } from '../system/repository.ts'

/** Where a client stands. */
export interface ClientPlace {
  cwd: string
  /** The project that its environment names. */
  project: string | undefined
  /** The one that the file of its repository names. */
  wished: string | undefined
}

export interface DeskOptions {
  config: Config
  coordination: Coordination
  holds?: SessionHolds
}

/** In no repository: the project `default`, and no post office. */
export async function deskAt(
  { config, coordination, holds }: DeskOptions,
  { cwd, project, wished }: ClientPlace,
): Promise<SessionDesk> {
  const found = await hereAt(
    config,
    cwd,
    wished !== undefined && isProjectName(wished) ? wished : undefined,
  )
  const here: Here = project !== undefined && isProjectName(project) ? { project } : found
  const root = 'root' in found ? (worktreeAbove(cwd) ?? found.root) : undefined
  return {
    project: coordination.project(await keyAt(coordination.projects, here)),
    office:
      root === undefined ? undefined : await PostOffice.locate(config, cwd).catch(() => undefined),
    root,
    config,
    machine: machineOf(config),
    ...(holds && { holds }),
  }
}

/** Where a session began: a client that goes into another folder, a submodule perhaps, is still the same agent. */
export async function homeOfSession(
  coordination: Coordination,
  { client, session, cwd }: SessionMoment,
): Promise<string> {
  const home = await coordination.homeOf({ client, session })
  return home !== undefined && existsSync(home) ? home : cwd
}

/** What git says of a folder holds for a while: hooks come many times a second, and nobody waits for git. */
const keptMs = 10_000
const maxKept = 2000

export class Desks {
  readonly #options: DeskOptions
  readonly #kept = new Map<string, { since: number; desk: Promise<SessionDesk> }>()
  /** Where each session began. */
  readonly #homes = new Map<string, string>()

  constructor(options: DeskOptions) {
    this.#options = options
  }

  async of(told: SessionMoment, place: Omit<ClientPlace, 'cwd'>): Promise<SessionDesk> {
    const { client, session, moment } = told
    const key = `${client} ${session}`
    const known = moment.kind === 'session-start' ? undefined : this.#homes.get(key)
    const cwd = known ?? (await homeOfSession(this.#options.coordination, told))
    if (moment.kind === 'session-end') this.#homes.delete(key)
    else keep(this.#homes, key, cwd)
    return this.#at({ ...place, cwd })
  }

  #at(place: ClientPlace): Promise<SessionDesk> {
    const key = JSON.stringify([place.cwd, place.project, place.wished])
    const known = this.#kept.get(key)
    if (known && performance.now() - known.since < keptMs) return known.desk
    const desk = deskAt(this.#options, place)
    keep(this.#kept, key, { since: performance.now(), desk })
    desk.catch(() => this.#kept.delete(key))
    return desk
  }
}

/** As the newest; the oldest of too many goes. */
export function keep<T>(kept: Map<string, T>, key: string, value: T): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
}
