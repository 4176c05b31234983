/** A place to send from: a vault, a ledger, and a mail service that does what the test says. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger, outgoingWith } from '../../../src/email/correspondence.ts'
import type { Outgoing } from '../../../src/email/outgoing/outgoing.ts'
import type { Limits, OutgoingMail, Provider, Receipt } from '../../../src/providers/provider.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export class ScriptedService implements Provider {
  readonly name = 'gmail'
  readonly account = 'test'
  /** What it was given, in order. */
  readonly taken: OutgoingMail[] = []
  /** What happens to a mail; without it, it is sent. */
  answer: (mail: OutgoingMail, signal: AbortSignal) => Promise<Receipt> = async () => this.receipt()
  find?: NonNullable<Provider['find']>
  limits: Limits | undefined

  receipt(): Receipt {
    const count = this.taken.length
    return { message_id: `m${count}`, thread_id: `t${count}`, sent_at: '2026-01-15T10:00:00.000Z' }
  }

  send(mail: OutgoingMail, signal: AbortSignal): Promise<Receipt> {
    this.taken.push(mail)
    return this.answer(mail, signal)
  }
}

export class MailRoom {
  readonly folder = temporaryFolder()
  readonly vault = join(this.folder, 'vault')
  readonly service = new ScriptedService()
  readonly env: Record<string, string>

  constructor(env: Record<string, string> = {}) {
    mkdirSync(this.vault)
    this.env = { VAULT_PATH: this.vault, XDG_STATE_HOME: join(this.folder, 'state'), ...env }
  }

  /** Each has a ledger of its own on the same database, as another process would. */
  async open(env: Record<string, string> = {}, limits?: Limits): Promise<Outgoing> {
    this.service.limits = limits
    const config = new Config({}, { ...this.env, ...env })
    const ledger = await openLedger(config)
    const outgoing = outgoingWith(config, this.service, ledger)
    onTestFinished(async () => {
      await outgoing.close()
      await ledger.close()
    })
    return outgoing
  }

  get auditFiles(): string[] {
    const logs = join(this.vault, 'Logs')
    try {
      return readdirSync(logs)
    } catch {
      return []
    }
  }

  /** The lines of the audit, as they are on disk now. */
  audit(): unknown[] {
    return this.auditFiles
      .filter((file) => !file.startsWith('proposals'))
      .map((file) => readFileSync(join(this.vault, 'Logs', file), 'utf8'))
      .flatMap((text) => text.split('\n'))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
}

export const aMail = { to: 'jane@example.com', subject: 'Hello', text: 'How are you?' }
