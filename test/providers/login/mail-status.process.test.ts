/** agentmail mail status, for every service: which it is, whether reading and sending work, and what to do if not. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LoginHome } from '../../support/providers/login/login-home.ts'
import { sharedFake } from '../../support/providers/postmark.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'

const postmark = sharedFake()

async function statusIn(home: LoginHome, env: Record<string, string | undefined> = {}) {
  const { stdout, exitCode } = await home.run(['mail', 'status', '--json'], '', env)
  return { exitCode, ...JSON.parse(stdout) }
}

it('says that none is set up, and how to set one up', async () => {
  const { stdout, exitCode } = await new LoginHome().run(['mail', 'status'])
  expect([exitCode, stdout]).toEqual([
    1,
    'No mail service is set up.\nRun: agentmail mail login (any IMAP account), or agentmail gmail login.\n',
  ])
})

it('says of one that only sends that it does not read', async () => {
  const server = await startSmtpServer({ user: 'jane@example.com', password: 'right-password' })
  onTestFinished(() => server.close())
  const home = new LoginHome()
  const at = `127.0.0.1:${server.port}`
  expect(await statusIn(home, { AGENTMAIL_SMTP_URL: server.url })).toMatchObject({
    ...{ exitCode: 0, service: 'smtp', chosen_by: 'AGENTMAIL_SMTP_URL', state: 'ok' },
    ...{ reads: null, reads_at: null, sends: true, sends_at: at },
  })
  const wrong = server.url.replace('right', 'wrong')
  const refused = await statusIn(home, { AGENTMAIL_SMTP_URL: wrong })
  expect(refused).toMatchObject({ exitCode: 1, reads: null, sends: false, state: 'failed' })
  expect(JSON.stringify(refused)).not.toContain('wrong-password')
  const { env } = postmark()
  expect(await statusIn(home, env)).toMatchObject({
    ...{ exitCode: 0, service: 'postmark', reads: null, sends: true, says: 'takes the token' },
  })
  const { stdout } = await home.run(['mail', 'status'], '', { AGENTMAIL_SMTP_URL: server.url })
  expect(stdout).toBe(
    `SMTP, jane@example.com (by AGENTMAIL_SMTP_URL)\n  Reading  no\n  Sending  works: ${at}\n`,
  )
})

it('says whom mail is from: nobody by SMTP is a fault, and by Postmark a thing to know', async () => {
  const server = await startSmtpServer({ user: 'jane', password: 'right-password' })
  onTestFinished(() => server.close())
  const home = new LoginHome()
  const smtp = { AGENTMAIL_MAIL: 'smtp', AGENTMAIL_SMTP_URL: server.url }
  expect(await statusIn(home, smtp)).toMatchObject({
    ...{ exitCode: 1, sends: false, state: 'failed', address: null },
    says: `127.0.0.1:${server.port}: nobody is named as the sender`,
    next: expect.stringContaining('Set AGENTMAIL_MAIL_FROM'),
  })
  const from = { AGENTMAIL_MAIL_FROM: 'jane@example.com' }
  expect(await statusIn(home, { ...smtp, ...from })).toMatchObject({ exitCode: 0, sends: true })
  const note = 'each mail must name its sender (from), as DEFAULT_FROM_ADDRESS is not set'
  const { env } = postmark()
  expect(await statusIn(home, { ...env, DEFAULT_FROM_ADDRESS: undefined })).toMatchObject({
    ...{ exitCode: 0, sends: true, state: 'ok', note },
  })
  const { stdout } = await home.run(['mail', 'status'], '', env)
  expect(stdout).toContain(`\n${note}.\n`)
  const named = { ...env, DEFAULT_FROM_ADDRESS: 'jane@example.com' }
  expect(await statusIn(home, named)).toMatchObject({ exitCode: 0, note: null })
})

it('says of a service that is named, and not set up, what is missing', async () => {
  const home = new LoginHome()
  const cases = [
    ['gmail', 'agentmail gmail login'],
    ['imap', 'agentmail mail login'],
    ['smtp', 'smtp://user:password@host:587'],
    ['postmark', 'POSTMARK_SERVER_TOKEN'],
  ]
  for (const [service, next] of cases) {
    expect(await statusIn(home, { AGENTMAIL_MAIL: service })).toMatchObject({
      ...{ exitCode: 1, service, chosen_by: 'AGENTMAIL_MAIL', state: 'failed', sends: false },
      next: expect.stringContaining(next ?? ''),
    })
  }
  const { stderr, exitCode } = await home.run(['mail', 'status'], '', { AGENTMAIL_MAIL: 'pigeon' })
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^error: AGENTMAIL_MAIL must be one/),
  ])
})

it('says where local mail is, and whether it can be written', async () => {
  const home = new LoginHome()
  const folder = join(home.folder, 'mail')
  const local = { AGENTMAIL_MAIL: 'local', AGENTMAIL_MAIL_DIR: folder }
  expect(await statusIn(home, local)).toMatchObject({ exitCode: 0, reads: true, sends_at: folder })
  mkdirSync(folder)
  expect(await statusIn(home, local)).toMatchObject({ exitCode: 0, says: folder })
  chmodSync(folder, 0o500)
  if (process.getuid?.() !== 0) {
    expect(await statusIn(home, local)).toMatchObject({ exitCode: 1, sends: false })
  }
})
