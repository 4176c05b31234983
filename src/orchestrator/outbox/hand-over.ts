/** Hands a mail over to an agent: a message to its name, once for each key. */
import { personOf } from '../../addresses/person.ts'
import type { Config } from '../../config.ts'
import { ask } from '../../connection/acting.ts'
import { connect } from '../../connection/connect.ts'
import type { Connection } from '../../connection/connection.ts'
import { fenced } from '../../email/fence.ts'
import { recorded, settleIfPossible } from '../../email/outgoing/outcome.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { receiptOf, type SendRecord } from '../../email/outgoing/send-record.ts'
import { AgentMailError } from '../../errors.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import type { Receipt } from '../../providers/provider.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import { inOneLine } from '../events.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import { agentScope } from '../sends.ts'
import type { AskedDelegation, Outcome } from './way-out.ts'

/** Where the id is kept that the coordination knows the sender by: a key counts for one agent. */
interface Identity {
  agentId: string | undefined
  save(): void
}

/** Nothing was handed over, nor will be under this name. */
interface Nobody {
  is: 'nobody'
  reason: string
}

/** What it is called where it writes to agents. */
const self = 'orchestrator'
/** A message may be 64 KB, and a character up to four bytes. */
const mostCharacters = 14_000

export class HandOver {
  readonly #config: Config
  readonly #identity: Identity
  readonly #ledger: SendLedger

  constructor(config: Config, identity: Identity, ledger: SendLedger) {
    this.#config = config
    this.#identity = identity
    this.#ledger = ledger
  }

  /** Within which a key means one message. */
  scope(): string {
    return agentScope()
  }

  /** The coordination takes a key once, so it may be asked again whatever happened before. */
  async delegate(
    { agent }: AskedDelegation,
    note: Note,
    { key, hash }: { key: string; hash: string },
  ): Promise<Outcome | Nobody> {
    if (agent === undefined) {
      return { is: 'failed', reason: 'it names no agent: set delegate_to to the name of one' }
    }
    let record: SendRecord | undefined
    try {
      const turn = await recorded(() => this.#begin(agent, key, hash))
      record = turn.record
      if (record.state === 'sent') return handedOver(receiptOf(record).sent_at)
      const sent_at = rfc3339(systemClock.now())
      if (!(await this.#post(agent, messageOf(note, key), key))) {
        const reason = `nobody is called ${agent}: name an agent that is registered, or has a mailbox here, and approve it again`
        await this.#settle(record, { reason })
        return { is: 'nobody', reason }
      }
      await this.#settle(record, { receipt: { message_id: '', thread_id: undefined, sent_at } })
      return handedOver(sent_at)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const reason = inOneLine(error)
      if (record) await this.#settle(record, { reason })
      return { is: 'failed', reason }
    }
  }

  #begin(agent: string, key: string, content_hash: string) {
    const recipients = [`@${agent}`]
    const scope = this.scope()
    return this.#ledger.begin({
      scope,
      key,
      content_hash,
      provider: 'agent',
      recipients,
      subject: '',
    })
  }

  #settle(record: SendRecord, change: { receipt: Receipt } | { reason: string }): Promise<void> {
    const state = 'receipt' in change ? 'sent' : 'failed'
    return settleIfPossible(() => this.#ledger.settle(record, state, change))
  }

  /** False where nobody has this name. */
  async #post(agent: string, body: string, idempotency_key: string): Promise<boolean> {
    const connection = await connect(this.#config)
    const name = agent.replace(/^@/, '')
    try {
      if (!(await this.#isThere(connection, name))) return false
      const agent_id = await this.#register(connection)
      const letter = { channel: `@${name}`, subject: 'A mail was handed over to you', body }
      const { note } = await ask(connection, 'send_message', {
        ...{ agent_id, ...letter, idempotency_key },
      })
      await connection.leave(agent_id).catch(() => {}) // it will be swept
      return note === undefined
    } finally {
      await connection.close()
    }
  }

  /** Whether an agent of this name, other than this one, can be reached. Asked first: what nobody gets is not stored. */
  async #isThere(connection: Connection, name: string): Promise<boolean> {
    if (name === personOf(this.#config)) return true
    for await (const agent of connection.agents({ agent: name })) {
      if (agent.name === name && agent.agent_id !== this.#identity.agentId) return true
    }
    const office = await PostOffice.locate(this.#config).catch((error) => {
      if (AgentMailError.is(error, 'not_in_repository')) return undefined
      throw error
    })
    return office?.recipientNames().includes(name) ?? false
  }

  async #register(connection: Connection): Promise<string> {
    const identity = this.#identity
    const known = { name: self, role: 'hands mail over', agent_id: identity.agentId }
    const { agent_id } = await connection.visit(known)
    if (agent_id !== identity.agentId) {
      identity.agentId = agent_id
      identity.save()
    }
    return agent_id
  }
}

const handedOver = (sent_at: string): Outcome => ({ is: 'sent', message_id: undefined, sent_at })

function messageOf(note: Note, key: string): string {
  const { from, subject, date } = fields(note)
  const head = `From: ${from}\nDate: ${date}\nSubject: ${subject}\n\n`
  // The same each time: the same key with another text would be refused.
  const nonceOf = (at: number) => sha256(`${key} ${at}`).slice(0, 22)
  const room = mostCharacters - head.length - fenced('').body.length
  const mail = head + mailText(note.body, room, nonceOf)
  return [
    'A person has handed this mail from outside over to you.',
    `Its note in the vault: [[Done/${nameOf(note.path)}]]`,
    '',
    fenced(mail, mostCharacters, sha256(key).slice(0, 22)).body,
  ].join('\n')
}
