/** Mail on a server that tells of it is taken in when it comes, not at the next look. */
import { expect, it } from 'vitest'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'
import { describeWith } from '../support/parts.ts'
import { Dovecot } from '../support/providers/dovecot.ts'
import { mail } from '../support/providers/local-folder.ts'

const user = 'anna@example.org'
const about = (Subject: string) =>
  mail({ From: 'Jane <jane@example.com>', Subject, 'Message-ID': `<${Subject}@example.com>` })

describeWith('dovecot', 'mail that comes by IMAP', () => {
  it('is taken in at once, and also after the server was away', async () => {
    const dovecot = await Dovecot.start()
    const home = await OrchestratorHome.make([], {
      AGENTMAIL_MAIL: 'imap',
      AGENTMAIL_IMAP_URL: dovecot.url(user),
      AGENTMAIL_SMTP_URL: 'smtp://127.0.0.1:9',
      AGENTMAIL_POLL_SECONDS: '3600',
    })
    dovecot.deliver(user, about('before'))
    const running = home.start()
    await running.line('before')
    for (const subject of ['first', 'second']) {
      dovecot.deliver(user, about(subject))
      await running.line(subject)
    }
    await dovecot.pause()
    dovecot.deliver(user, about('meanwhile'))
    await dovecot.resume()
    await running.line('meanwhile')
    expect((await running.kill()).exitCode).toBe(0)
    expect(home.list('Needs_Action')).toHaveLength(4)
  })
})
