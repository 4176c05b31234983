/** Plays the scenes of a script through the same functions that real agents call, at whatever time its clock says. */
import { join } from 'node:path'
import { personOf, personRole } from '../../../addresses/person.ts'
import { placeAt } from '../../../addresses/place.ts'
import type { Config } from '../../../config.ts'
import { hereAt, keyAt, machineOf } from '../../../connection/here.ts'
import type { Coordination, Project } from '../../../coordination/coordination.ts'
import type { NotifiedWay } from '../../../coordination/inbox/receipts.ts'
import { broadcast, directChannel } from '../../../coordination/messages.ts'
import type { SessionCaller } from '../../../coordination/sessions/acting.ts'
import type { HandOverRequest } from '../../../coordination/sessions/handing-over.ts'
import { memberAs, putInMailbox, receive } from '../../../mailbox/member.ts'
import { PostOffice } from '../../../mailbox/post-office.ts'
import type { Clock } from '../../../system/clock.ts'
import type { Act, Scene } from './day/script.ts'

/** Whoever has come, and is remembered from the recorded day to what goes on. */
interface Actor {
  /** The name of the project. */
  project: string
  agent_id: string
  caller: SessionCaller | undefined
  /** Whether it gives signs of life. */
  isAlive: boolean
}
export type Cast = Map<string, Actor>

export interface Stage {
  config: Config
  coordination: Coordination
  clock: Clock
  /** Where the repositories are, each under the name of its project. */
  folder: string
  cast: Cast
}

type Said = Extract<Act, { does: 'says' | 'answers' }>

/** Of a tmux that is not there. */
const server = 4242
/** How the clients of the day are told of mail while they rest. */
const ways = new Map<string, NotifiedWay>([
  ['claude', 'rewake'],
  ['codex', 'codex'],
])

export class Player {
  readonly #stage: Stage
  readonly #machine: string
  readonly #keys = new Map<string, string>()
  readonly #holds = new Map<string, () => void>()
  /** Those who have a mailbox alone. */
  readonly #windows = new Map<string, { pane: string; role: string }>()
  /** The last message of each to the person. */
  readonly #asked = new Map<string, number>()

  constructor(stage: Stage) {
    this.#stage = stage
    this.#machine = machineOf(stage.config)
  }

  /** From now on everybody who lives gives signs of life. */
  async begin(): Promise<void> {
    for (const [name, { isAlive }] of this.#stage.cast) if (isAlive) await this.#hold(name)
  }

  /** @param project of one who comes with this scene. */
  async play({ who, act }: Scene, project = this.#actor(who).project): Promise<void> {
    switch (act.does) {
      case 'answers':
        return this.#answer(who, act, await this.#project(project))
      case 'says':
        if (this.#windows.has(who)) return this.#visit(who, act, await this.#project(project))
        return this.#playAgent(who, act)
      case 'starts':
      case 'registers':
        return this.#enter(who, act, project)
      case 'joins':
      case 'writes':
      case 'opens':
        return this.#playMailbox(who, act, project)
      case 'works':
      case 'rests':
      case 'waits':
      case 'edits':
      case 'is told':
        return this.#playSession(who, act)
      case 'goes silent':
      case 'is swept':
      case 'leaves':
        return this.#exit(who, act.does)
      default:
        return this.#playAgent(who, act)
    }
  }

  async #enter(
    name: string,
    act: Extract<Act, { does: 'starts' | 'registers' }>,
    projectName: string,
  ): Promise<void> {
    const project = await this.#project(projectName)
    const caller = act.does === 'starts' ? this.#callerOf(name, act, projectName) : undefined
    const { agent_id } = caller
      ? (await project.sessions.start(caller)).session
      : await project.agents.register({ name, role: act.role })
    this.#stage.cast.set(name, { project: projectName, agent_id, caller, isAlive: true })
    await this.#hold(name)
  }

  #callerOf(
    name: string,
    { client, pane, role }: Extract<Act, { does: 'starts' }>,
    project: string,
  ): SessionCaller {
    const place = placeAt(this.#machine, { pane, server })
    return {
      client,
      // With a dot, which no thread of Codex has: nobody tries to wake it.
      session: `demo.${name}`,
      names: [name],
      isAvoided: () => false,
      mailboxOf: () => null,
      home: join(this.#stage.folder, project),
      ...{ role, place, elsewhere: place },
    }
  }

  async #playAgent(who: string, act: Act): Promise<void> {
    const { agent_id, project: projectName } = this.#actor(who)
    const project = await this.#project(projectName)
    if (act.does === 'says') {
      const { subject, body } = act
      const channel = channelOf(act.to)
      const { message_id } = await project.messages.send({ agent_id, channel, subject, body })
      if (act.to === personOf(this.#stage.config)) this.#asked.set(who, message_id)
    } else if (act.does === 'claims') await project.claims.claim({ agent_id, files: act.files })
    else if (act.does === 'releases') await project.claims.release({ agent_id, files: act.files })
    else if (act.does === 'changed') {
      const { file: file_path, summary } = act
      await project.changes.announce({ agent_id, file_path, summary })
    } else if (act.does === 'reads') await project.unread.read({ agent_id })
  }

  async #playSession(who: string, act: Act): Promise<void> {
    const { caller, project } = this.#actor(who)
    if (!caller) return
    const { sessions } = await this.#project(project)
    if (act.does === 'works') await sessions.handOver(caller, atBeginning)
    else if (act.does === 'rests') await sessions.handOver(caller, atEnd)
    else if (act.does === 'waits') await sessions.note(caller, 'waits')
    else if (act.does === 'is told')
      await sessions.announce(caller, ways.get(caller.client) ?? 'hook')
    else if (act.does === 'edits') {
      await sessions.edit(caller, act.files)
      await sessions.edited(caller, act.files)
    }
  }

  async #exit(who: string, how: 'goes silent' | 'is swept' | 'leaves'): Promise<void> {
    const actor = this.#actor(who)
    const { caller, agent_id } = actor
    actor.isAlive = false
    this.#holds.get(who)?.()
    this.#holds.delete(who)
    const { sessions, agents } = await this.#project(actor.project)
    // A sweep writes the signs of life that are due, too: the last one of whoever is silent is of now.
    if (how !== 'leaves') await this.#stage.coordination.sweep()
    else if (caller) await sessions.end(caller)
    else await agents.leave(agent_id)
  }

  async #answer(person: string, act: Said, project: Project): Promise<void> {
    await this.#visit(person, act, project)
    const id = this.#asked.get(act.to)
    if (id !== undefined) await project.answered({ name: person, id, agent: person })
  }

  /** As a command does it for whoever is not registered. */
  async #visit(name: string, act: Said, { agents, messages }: Project): Promise<void> {
    const [known] = (await agents.list({ known: true, agent: name })).agents
    const role = this.#windows.get(name)?.role ?? personRole
    const before = { agent_id: known?.agent_id, isGuest: true }
    const { agent_id } = await agents.register({ name, role, ...before })
    const { to, subject, body } = act
    await messages.send({ agent_id, channel: channelOf(to), subject, body })
    await agents.leave(agent_id)
  }

  async #playMailbox(who: string, act: Act, project: string): Promise<void> {
    const { clock, config, folder } = this.#stage
    const office = new PostOffice(join(folder, project, '.agentmail'), config)
    office.create()
    if (act.does === 'joins') this.#windows.set(who, act)
    if (act.does === 'writes') {
      await putInMailbox(office, { from: who, to: act.to, message: act.text }, { clock })
    }
    if (act.does === 'opens') {
      const member = { ...memberAs(who, office), clock }
      let isMore = true
      while (isMore) isMore = 'id' in (await receive(member))
    }
    const window = this.#windows.get(who)
    if (!window) return
    const { pane } = window
    await office.recipients.register(who, { pane, server, source: 'window' }, clock.now())
    await office.recipients.setStatus(who, 'ready', pane, clock.now())
  }

  async #hold(name: string): Promise<void> {
    const { project, agent_id } = this.#actor(name)
    this.#holds.set(name, (await this.#project(project)).hold(agent_id, true))
  }

  #actor(name: string): Actor {
    const actor = this.#stage.cast.get(name)
    if (actor) return actor
    throw new TypeError(`the script knows nobody called ${name}`)
  }

  async #project(name: string): Promise<Project> {
    const { coordination, config, folder } = this.#stage
    const known = this.#keys.get(name)
    const key =
      known ?? (await keyAt(coordination.projects, await hereAt(config, join(folder, name))))
    this.#keys.set(name, key)
    return coordination.project(key)
  }
}

const room = 100_000
const lengthOf = () => 0
const atBeginning: HandOverRequest = {
  ...{ isEnd: false, isHanding: true, hasOther: false, room, lengthOf },
}
const atEnd: HandOverRequest = {
  ...{ isEnd: true, isHanding: false, hasOther: false, room, lengthOf },
}

/** `everyone`, `#topic`, or a name. */
const channelOf = (to: string): string =>
  to === 'everyone' ? broadcast : to.startsWith('#') ? to.slice(1) : directChannel(to)
