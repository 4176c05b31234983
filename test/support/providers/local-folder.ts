/** A folder of local mail, and what tests do with it. */
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalOptions, openLocalMail } from '../../../src/providers/local/local.ts'
import type { OutgoingMail } from '../../../src/providers/provider.ts'
import { never, outgoingMail } from '../email/outgoing-mail.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export class LocalFolder {
  readonly path: string
  readonly provider
  readonly inbox

  constructor(options: LocalOptions = {}, path = temporaryFolder()) {
    this.path = path
    this.provider = openLocalMail(path, options)
    if (!this.provider.inbox) throw new Error('local mail can be read')
    this.inbox = this.provider.inbox
  }

  /** Puts a mail into the inbox as another program does. */
  drop(name: string, content: string | Buffer, box = 'inbox', at?: Date): void {
    putQuiet(join(this.path, box, name), content, at)
  }

  async list(query = '', limit = 100) {
    return (await this.inbox.list({ query, limit })).mails
  }

  async subjects(query = ''): Promise<string[]> {
    return (await this.list(query)).map(({ subject }) => subject)
  }

  async idOf(subject: string): Promise<string> {
    const mail = (await this.list('in:anywhere')).find((head) => head.subject === subject)
    if (!mail) throw new Error(`no mail has the subject ${subject}`)
    return mail.id
  }

  sent(): string[] {
    return readdirSync(join(this.path, 'sent'))
  }

  send(mail: Partial<OutgoingMail> = {}) {
    return this.provider.send({ ...emptyMail, ...mail }, never)
  }
}

/** As if it had been written a while ago, so that nobody waits for the rest of it. */
export function putQuiet(
  path: string,
  content: string | Buffer,
  then = new Date(Date.now() - 2000),
): void {
  writeFileSync(path, content)
  utimesSync(path, then, then)
}

export const emptyMail = outgoingMail({ to: [{ name: '', address: 'bob@example.com' }] })

export const mail = (headers: Record<string, string>, body = 'Hi') =>
  `${Object.entries({ From: 'Ada <ada@example.com>', To: 'bob@example.com', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toUTCString()
