/** The agents of coordination for whoever writes by the mailbox; nothing is made for a question. */
import type { PostAnswer } from '../addresses/address-book.ts'
import { personOf, personRole } from '../addresses/person.ts'
import type { Registered } from '../addresses/send.ts'
import type { Config } from '../config.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { Letter } from '../coordination/messages.ts'
import { actingAs, ask, listOf } from './acting.ts'
import { connect, connectIfThere } from './connect.ts'
import type { Connection } from './connection.ts'
import { machineOf } from './here.ts'

export class RegisteredAgents implements Registered {
  readonly #config: Config

  constructor(config: Config) {
    this.#config = config
  }

  async names(only?: string): Promise<string[]> {
    const names = await this.#ask(async (connection) => {
      const found: string[] = []
      const request = only === undefined ? {} : { agent: only }
      for await (const { name } of connection.agents(request)) found.push(name)
      return found
    })
    // The person can be written to always, and is in no list.
    const isTold = (name: string) =>
      only === undefined ? name !== personOf(this.#config) : name === only
    return (names ?? []).filter(isTold)
  }

  get machine(): string {
    return machineOf(this.#config)
  }

  async standings(name?: string): Promise<AgentStanding[]> {
    const request = name === undefined ? {} : { agent: name }
    const agents = await this.#ask((connection) => listOf(connection.standings(request)), {
      isQuiet: true,
    })
    return (agents ?? []).filter((agent) => name === undefined || agent.name === name)
  }

  silence(name: string): Promise<string | undefined> {
    return this.#ask(async (connection) => (await connection.silence(name)).warning)
  }

  async post(from: string, letter: Letter): Promise<PostAnswer> {
    const connection = await connect(this.#config)
    try {
      const role = from === personOf(this.#config) ? personRole : 'agent'
      const sender = { name: from, role, isAnyOf: true }
      return await actingAs(connection, sender, ({ agent_id }) =>
        ask(connection, 'send_message', { agent_id, ...letter }),
      )
    } finally {
      await connection.close()
    }
  }

  async #ask<T>(
    work: (connection: Connection) => Promise<T>,
    options: { isQuiet?: boolean } = {},
  ): Promise<T | undefined> {
    const connection = await connectIfThere(this.#config, options)
    try {
      return connection && (await work(connection))
    } finally {
      await connection?.close()
    }
  }
}
