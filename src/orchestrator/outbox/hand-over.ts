/** Hands a mail over to an agent: a message to its name, in its project, once for each key. */
import type { Config } from '../../config.ts'
import { ask } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import { fenced } from '../../email/fence.ts'
import type { Asker } from '../../email/outgoing/mail-request.ts'
import { recorded, settleIfPossible } from '../../email/outgoing/outcome.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { receiptOf, type SendRecord } from '../../email/outgoing/send-record.ts'
import { AgentMailError } from '../../errors.ts'
import type { Receipt } from '../../providers/provider.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import { inOneLine } from '../events.ts'
import type { Answers } from '../inbox/answers.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import { agentScope } from '../sends.ts'
import { orchestratorName } from '../servers/vault-notes.ts'
import { type KnownIds, reach } from './reaching-agents.ts'
import type { AskedDelegation, Outcome } from './way-out.ts'

/** Nothing was handed over, nor will be under this name. */
interface Nobody {
  is: 'nobody'
  reason: string
}

interface Letter {
  note: Pick<Note, 'path' | 'frontmatter' | 'body'>
  key: string
  /** Of what the key stands for. */
  hash: string
  subject: string
  opening: string
  /** Why nobody was given it, and what a person can do. */
  nobody: (to: Asker) => string
}

const delegated = {
  subject: 'A mail was handed over to you',
  opening: 'A person has handed this mail from outside over to you.',
  nobody: ({ agent }: Asker) =>
    `nobody is called ${agent}: name an agent that is registered, or has a mailbox here, and approve it again`,
}

const answering = {
  subject: 'An answer to a mail of yours',
  opening:
    'This mail from outside answers one that was sent in your name. No person has read it yet.',
  nobody: ({ agent, project }: Asker) =>
    `it answers a mail of ${agent}, but nobody of that name is there any more${project === undefined ? '' : ` in ${project}`}: decide about it, or give it to another agent`,
}

/** A message may be 64 KB, and a character up to four bytes. */
const mostCharacters = 14_000

export class HandOver {
  readonly #config: Config
  readonly #identity: KnownIds
  readonly #ledger: SendLedger
  readonly #answers: Answers | undefined

  /** @param answers who asked for a mail that is handed over: that agent is in its own project. */
  constructor(
    config: Config,
    identity: KnownIds,
    ledger: SendLedger,
    answers: Answers | undefined = undefined,
  ) {
    this.#config = config
    this.#identity = identity
    this.#ledger = ledger
    this.#answers = answers
  }

  /** Within which a key means one message. */
  scope(): string {
    return agentScope()
  }

  /** As a person has approved it. */
  async delegate(
    asked: AskedDelegation,
    note: Note,
    { key, hash }: { key: string; hash: string },
  ): Promise<Outcome | Nobody> {
    if (asked.agent === undefined) {
      return { is: 'failed', reason: 'it names no agent: set delegate_to to the name of one' }
    }
    const agent = asked.agent.replace(/^@/, '')
    const project = await this.#projectOf(agent, asked.message_id)
    return this.#give({ agent, project }, { ...delegated, note, key, hash })
  }

  /** Of a mail of theirs, as the settings want it. */
  answer(asker: Asker, note: Letter['note'], key: string): Promise<Outcome | Nobody> {
    return this.#give(asker, { ...answering, note, key, hash: sha256(key) })
  }

  /** Of the agent whose mail it answers; a person may give it to any other. */
  async #projectOf(agent: string, message_id: string): Promise<string | undefined> {
    if (!(await this.#answers?.arePossible())) return undefined
    const asker = await this.#answers?.askerOf(message_id).catch((error) => {
      if (AgentMailError.is(error)) return undefined // it may be gone, and was approved with its text
      throw error
    })
    return asker?.agent === agent ? asker.project : undefined
  }

  /** The coordination takes a key once, so it may be asked again whatever happened before. */
  async #give(to: Asker, letter: Letter): Promise<Outcome | Nobody> {
    let record: SendRecord | undefined
    try {
      const turn = await recorded(() => this.#begin(to, letter))
      record = turn.record
      if (record.state === 'sent') return handedOver(receiptOf(record).sent_at)
      const sent_at = rfc3339(systemClock.now())
      if (!(await this.#post(to, letter))) {
        const reason = letter.nobody(to)
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

  #begin({ agent }: Asker, { key, hash }: Letter) {
    return this.#ledger.begin({
      scope: this.scope(),
      key,
      content_hash: hash,
      provider: 'agent',
      recipients: [`@${agent}`],
      subject: '',
    })
  }

  #settle(record: SendRecord, change: { receipt: Receipt } | { reason: string }): Promise<void> {
    const state = 'receipt' in change ? 'sent' : 'failed'
    return settleIfPossible(() => this.#ledger.settle(record, state, change))
  }

  /** False where nobody has this name. */
  async #post(to: Asker, letter: Letter): Promise<boolean> {
    const connection = await reach(this.#config, this.#identity, to)
    if (!connection) return false
    try {
      const agent_id = await this.#register(connection)
      const { note } = await ask(connection, 'send_message', {
        agent_id,
        channel: `@${to.agent}`,
        subject: letter.subject,
        body: bodyOf(letter),
        idempotency_key: letter.key,
      })
      await connection.leave(agent_id).catch(() => {}) // it will be swept
      return note === undefined
    } finally {
      await connection.close()
    }
  }

  /** Remembered first: a key counts for one agent. */
  async #register(connection: Connection): Promise<string> {
    const identity = this.#identity
    const known = { name: orchestratorName, role: 'hands mail over' }
    const before = identity.agentIdIn(connection.project)
    const { agent_id } = await connection.visit({ ...known, agent_id: before })
    identity.knownAs(agent_id, connection.project)
    return agent_id
  }
}

const handedOver = (sent_at: string): Outcome => ({ is: 'sent', message_id: undefined, sent_at })

function bodyOf({ note, key, opening }: Letter): string {
  const { from, subject, date } = fields(note)
  const head = `From: ${from}\nDate: ${date}\nSubject: ${subject}\n\n`
  // The same each time: the same key with another text would be refused.
  const nonceOf = (at: number) => sha256(`${key} ${at}`).slice(0, 22)
  const room = mostCharacters - head.length - fenced('').body.length
  const mail = head + mailText(note.body, room, nonceOf)
  return [
    opening,
    `Its note in the vault: [[Done/${nameOf(note.path)}]]`,
    '',
    fenced(mail, mostCharacters, sha256(key).slice(0, 22)).body,
  ].join('\n')
}
