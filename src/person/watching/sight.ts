/** What a person sees from here: the projects of the database, each with its post offices on this machine. */
import type { AddressBook } from '../../addresses/address-book.ts'
import { personOf } from '../../addresses/person.ts'
import type { Config } from '../../config.ts'
import { machineOf } from '../../connection/here.ts'
import type { Coordination, Project } from '../../coordination/coordination.ts'
import { unknownAs } from '../../coordination/projects/project-errors.ts'
import { AgentMailError } from '../../errors.ts'
import type { PostOffice } from '../../mailbox/post-office.ts'
import { Conflicts } from './conflicts.ts'
import { MailHeads } from './mail-heads.ts'

export interface SeenProject {
  name: string
  project: Project
  offices: PostOffice[]
}

const mostProjects = 100
const mostRemembered = 1000
/** To find the post offices of a project takes longer than all that is read there. */
const officesKeptMs = 2000
const shownOfName = 100

export class Sight {
  readonly config: Config
  readonly coordination: Coordination
  readonly book: AddressBook
  readonly person: string
  /** The id of this machine. */
  readonly machine: string
  readonly mail = new MailHeads()
  readonly conflicts: Conflicts
  readonly #offices = new Map<string, { since: number; found: Promise<PostOffice[]> }>()

  constructor(parts: { config: Config; coordination: Coordination; book: AddressBook }) {
    this.config = parts.config
    this.coordination = parts.coordination
    this.book = parts.book
    this.person = personOf(parts.config)
    this.machine = machineOf(parts.config)
    this.conflicts = new Conflicts(parts.coordination.refusals)
  }

  /** The one of this name; without one all, in which something happened last first. */
  async projects(name = ''): Promise<SeenProject[]> {
    if (name !== '') return [await this.project(name)]
    const known = await this.coordination.projects.latest(mostProjects)
    return Promise.all(known.map((one) => this.#seen(one)))
  }

  async project(name: string): Promise<SeenProject> {
    const { projects } = this.coordination
    const called = [...name].slice(0, shownOfName).join('')
    const key = await projects.keyOf(called)
    const unknown = await unknownAs(projects, called)
    if (unknown !== undefined || called !== name) {
      const words = unknown ?? `there is no project "${called}…"`
      throw new AgentMailError('not_found', words, 'agentmail projects lists them.')
    }
    return this.#seen({ key, name: await projects.nameOf(key) })
  }

  async #seen({ key, name }: { key: string; name: string }): Promise<SeenProject> {
    const project = this.coordination.project(key)
    return { name, project, offices: await this.#officesOf(project) }
  }

  #officesOf(project: Project): Promise<PostOffice[]> {
    const now = performance.now()
    const known = this.#offices.get(project.key)
    if (known && now - known.since < officesKeptMs) return known.found
    if (this.#offices.size >= mostRemembered) this.#offices.clear()
    const found = this.book.officesOf(project)
    this.#offices.set(project.key, { since: now, found })
    found.catch(() => this.#offices.delete(project.key))
    return found
  }
}
