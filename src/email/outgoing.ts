/** The one way out: every mail, whatever tool or provider, is checked, recorded, audited and sent here. */
import type { MailRequest } from './mail-request.ts'
import type { OutgoingMail, Provider, Receipt } from './providers/provider.ts'

export type Sent = { status: 'sent'; receipt: Receipt }
export type Drafted = { status: 'pending_approval'; draft: string }

export class Outgoing {
  readonly #provider: Provider
  readonly #timeoutMs: number

  constructor(options: { provider: Provider; timeoutMs?: number }) {
    this.#provider = options.provider
    this.#timeoutMs = options.timeoutMs ?? 30_000
  }

  async send(request: MailRequest): Promise<Sent | Drafted> {
    const mail: OutgoingMail = {
      from: addresses(request.from)[0],
      to: addresses(request.to),
      cc: addresses(request.cc),
      bcc: addresses(request.bcc),
      reply_to: addresses(request.reply_to),
      subject: request.subject,
      text: request.text,
      html: request.html,
      attachments: (request.attachments ?? []).flatMap((attachment) =>
        'content' in attachment
          ? [{ ...attachment, content: Buffer.from(attachment.content, 'base64') }]
          : [],
      ),
      original: undefined,
      key: undefined,
      postmark: request.postmark,
    }
    const signal = AbortSignal.timeout(this.#timeoutMs)
    return { status: 'sent', receipt: await this.#provider.send(mail, signal) }
  }
}

const addresses = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((one) => /^(.*)<(.*)>$/.exec(one.trim())?.slice(1) ?? ['', one])
    .map(([name = '', address = '']) => ({ name: name.trim(), address: address.trim() }))
    .filter(({ address }) => address !== '')
