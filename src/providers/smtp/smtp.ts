/** Mail through any mail server, by SMTP. */

import type { Config } from '../../config.ts'
import { compose } from '../../mime/compose.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { ownSender, senderOf } from '../own-sender.ts'
import type { Provider } from '../provider.ts'
import { deliver } from './delivery.ts'
import { smtpServer } from './url.ts'

export function openSmtp(config: Config): Provider {
  const server = smtpServer(config, config.text('mailToken')?.trim())
  ownSender(config) // one that is none is told at once
  const timeout = config.seconds('sendTimeoutSeconds') * 1000
  return {
    name: 'smtp',
    account: server.login ? `${server.login.user}@${server.host}` : server.host,
    async send(mail, signal) {
      const from = mail.from ?? senderOf(config, server.login?.user)
      const { message_id, raw } = await compose({ ...mail, from })
      const to = [...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address)
      const delivery = { from: from.address, to: [...new Set(to)], raw }
      await deliver(server, delivery, { signal, timeout })
      const sent_at = rfc3339(systemClock.now())
      return { message_id, thread_id: undefined, sent_at, header_id: message_id }
    },
  }
}
