/** What a person decides about mail with: the vault and its records, and who can be given a mail. */
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Config } from '../../config.ts'
import type { Coordination, Project } from '../../coordination/coordination.ts'
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { type Records, recordsOf } from '../../orchestrator/approval/records.ts'
import { Vault } from '../../vault/vault.ts'

interface MailDeskOptions {
  config: Config
  coordination: Coordination
  book: AddressBook
  /** The project of the folder in which the server was started. */
  own: { key: string }
}

const mostAgents = 500
const mostProjects = 500

export class MailDesk {
  readonly config: Config
  readonly #options: MailDeskOptions
  #records: Records | undefined

  constructor(options: MailDeskOptions) {
    this.config = options.config
    this.#options = options
  }

  get hasVault(): boolean {
    return this.config.text('vault') !== undefined
  }

  /** The same as long as it is the same vault: what was read of its logs is not read again. An error where there is none. */
  records(): Records {
    const vault = Vault.named(this.config)
    if (this.#records?.vault.root !== vault.root) this.#records = recordsOf(this.config, vault)
    return this.#records
  }

  /** The names that can be given a mail, sorted. */
  async agents(): Promise<string[]> {
    const names = new Set<string>()
    for (const project of await this.#projects()) {
      const { agents } = await project.agents.list({ limit: mostAgents })
      for (const agent of agents) if (!agent.is_guest) names.add(agent.name)
      for (const name of await this.#mailboxNames(project)) names.add(name)
      if (names.size >= mostAgents) break
    }
    return [...names].sort().slice(0, mostAgents)
  }

  /** Gives the name as it is known; an error where nobody has it. */
  async agentCalled(given: string): Promise<string> {
    const name = given.trim().replace(/^@/, '')
    for (const project of await this.#projects()) {
      const { agents } = await project.agents.list({ agent: name })
      if (agents.some((agent) => agent.name === name && !agent.is_guest)) return name
      if ((await this.#mailboxNames(project)).includes(name)) return name
    }
    throw new AgentMailError(
      'invalid_request',
      `nobody is called ${JSON.stringify(name)}${didYouMean(name, await this.agents()) || '.'}`,
      'Name an agent that is registered, or has a mailbox.',
    )
  }

  async #mailboxNames(project: Project): Promise<string[]> {
    const offices = await this.#options.book.officesOf(project)
    return offices.flatMap((office) => office.recipientNames())
  }

  async #projects(): Promise<Project[]> {
    const { coordination, own } = this.#options
    const known = (await coordination.projects.names()).slice(0, mostProjects)
    const keys = new Set([own.key, ...known.map(({ key }) => key)])
    return [...keys].map((key) => coordination.project(key))
  }
}
