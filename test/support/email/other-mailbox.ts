/** The mailbox of a mail server that somebody else wrote: a JSON file beside the vault. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { worker } from '../agentmail.ts'
import type { OrchestratorHome } from '../orchestrator/orchestrator-home.ts'

const mailSchema = z.record(z.enum(['id', 'subject', 'sender', 'to', 'date', 'body']), z.string())
export type OtherMail = z.infer<typeof mailSchema>
const boxSchema = z.object({
  inbox: z.array(mailSchema),
  sent: z.array(mailSchema),
  faults: z.record(z.string(), z.string()),
})

export class OtherMailbox {
  readonly #path: string
  /** The settings under which this mailbox is worked. */
  readonly env: { GMAIL_MCP_SERVER: string }

  constructor(home: OrchestratorHome) {
    this.#path = join(home.folder, 'other mailbox.json')
    this.env = {
      GMAIL_MCP_SERVER: `'${process.execPath}' '${worker('other-server')}' mail '${this.#path}'`,
    }
    this.#write({ inbox: [], sent: [], faults: {} })
  }

  get sent() {
    return this.#read().sent
  }

  /** What is read of one whose subject begins with `odd` does not fit. */
  drop(subject: string, body = `Please: ${subject}`): void {
    const box = this.#read()
    const id = `id-${box.inbox.length + 1}`
    const date = new Date().toISOString()
    const mail = { id, subject, sender: 'Jane <jane@example.com>', to: 'me@example.org', date }
    box.inbox.unshift({ ...mail, body })
    this.#write(box)
  }

  /** From now on a tool fails in this way; in none without it. */
  fault(tool: string, how?: string): void {
    this.#write({ ...this.#read(), faults: how === undefined ? {} : { [tool]: how } })
  }

  #read() {
    return boxSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8')))
  }

  #write(box: z.infer<typeof boxSchema>): void {
    writeFileSync(this.#path, JSON.stringify(box))
  }
}
