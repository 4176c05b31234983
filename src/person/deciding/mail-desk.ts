/** What a person decides about mail with: the vault and its records, and who can be given a mail. */
import type { AddressBook } from '../../addresses/address-book.ts'
import {
  mailTakerCalled,
  mailTakers,
  noSuchTaker,
  type TakersPlace,
  takerName,
} from '../../addresses/mail-takers.ts'
import type { Config } from '../../config.ts'
import type { Coordination } from '../../coordination/coordination.ts'
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
    return (await mailTakers(await this.#places(), mostAgents)).map(({ name }) => name)
  }

  /** Gives the name as it is known; an error where nobody has it. */
  async agentCalled(given: string): Promise<string> {
    const places = await this.#places()
    const known = await mailTakerCalled(places, given)
    if (known !== undefined) return known
    throw noSuchTaker(takerName(given), await mailTakers(places, mostAgents))
  }

  async #places(): Promise<TakersPlace[]> {
    const { coordination, own, book } = this.#options
    const known = (await coordination.projects.names()).slice(0, mostProjects)
    const keys = new Set([own.key, ...known.map(({ key }) => key)])
    return [...keys].map((key) => {
      const project = coordination.project(key)
      return {
        agents: async (agent) => (await project.agents.list({ agent, limit: mostAgents })).agents,
        mailboxes: async () =>
          (await book.officesOf(project)).flatMap((office) => office.recipientNames()),
      }
    })
  }
}
