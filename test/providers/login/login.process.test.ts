/** agentmail mail login on a real Dovecot and a real SMTP server: what is tried, what is kept, and what is said. */
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { listening } from '../../support/listening.ts'
import { loading } from '../../support/loading.ts'
import { describeWith } from '../../support/parts.ts'
import { Dovecot, dovecotPassword } from '../../support/providers/dovecot.ts'
import { startDnsServer } from '../../support/providers/login/dns-server.ts'
import { LoginHome, smtpWith, tracesOf } from '../../support/providers/login/login-home.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'

const jane = 'jane@example.test'

describeWith('dovecot', 'agentmail mail login', () => {
  let dovecot: Dovecot
  const atEnd = afterAllTests()
  beforeAll(async () => {
    dovecot = await Dovecot.start({}, atEnd)
  })
  const imapUrl = () => `imap://127.0.0.1:${dovecot.port}`
  const login = (smtpPort: number, ...more: string[]) => [
    ...['mail', 'login', jane, '--imap', imapUrl(), '--smtp', `smtp://127.0.0.1:${smtpPort}`],
    ...more,
  ]

  it('keeps what both servers take, for its owner alone, and shows the password nowhere', async () => {
    const home = new LoginHome()
    const smtp = await smtpWith(dovecotPassword)
    const { stdout, exitCode } = await home.run(login(smtp.port), dovecotPassword)
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Logged in as ${jane}`)])
    expect(home.kept()).toEqual({
      address: jane,
      imap: { host: '127.0.0.1', port: dovecot.port, security: 'starttls' },
      smtp: { host: '127.0.0.1', port: smtp.port, security: 'starttls' },
      user: jane,
      password: dovecotPassword,
    })
    expect(statSync(home.path).mode & 0o777).toBe(0o600)
    dovecot.deliver(jane, 'From: paul@example.test\r\nSubject: Hello Jane\r\n\r\nHow are you?\r\n')
    const listed = await home.run(['mail', 'list'])
    expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringContaining('Hello Jane')])
    for (const args of [
      ['mail', 'status'],
      ['mail', 'status', '--json'],
      ['config'],
      ['config', '--json'],
      ['doctor', '--json'],
      ['mail', 'logout', '--json'],
    ]) {
      const { stdout, stderr } = await home.run(args)
      expect(tracesOf(dovecotPassword, stdout + stderr), args.join(' ')).toEqual([])
    }
    expect(home.kept()).toBeUndefined()
    expect(smtp.arrivals).toEqual([])
  })

  it('answers as JSON, and a second login replaces the first', async () => {
    const home = new LoginHome()
    const [first, second] = [await smtpWith(dovecotPassword), await smtpWith(dovecotPassword)]
    await home.run(login(first.port), dovecotPassword)
    const { stdout, stderr } = await home.run(login(second.port, '--json'), dovecotPassword)
    expect([JSON.parse(stdout), stderr]).toEqual([
      {
        ...{ address: jane, user: jane, imap: imapUrl() },
        ...{ smtp: `smtp://127.0.0.1:${second.port}`, path: home.path },
      },
      '',
    ])
    expect(home.kept()).toMatchObject({ smtp: { port: second.port } })
  })

  it('says which of the two refused, and keeps the login that was there', async () => {
    const home = new LoginHome()
    const right = await smtpWith(dovecotPassword)
    const other = await smtpWith('of the other server')
    await home.run(login(right.port), dovecotPassword)
    const before = home.kept()
    const refused = async (port: number, password: string, words: RegExp) => {
      const { stdout, stderr, exitCode } = await home.run(login(port), password)
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(words)
      expect(stderr).toMatch(
        /nothing was kept\nCheck the password; many services want an app password/,
      )
      expect(home.kept()).toEqual(before)
    }
    const [reads, sends] = [
      String.raw`reading from 127\.0\.0\.1:\d+`,
      String.raw`sending by 127\.0\.0\.1:\d+`,
    ]
    const why = 'the mail server refused the login'
    await refused(
      other.port,
      dovecotPassword,
      RegExp(`${reads} works, but ${sends} does not: ${why}`),
    )
    await refused(
      other.port,
      'of the other server',
      RegExp(`${sends} works, but ${reads} does not: ${why}`),
    )
    await refused(other.port, 'of no server', RegExp(`neither ${reads} nor ${sends} works: ${why}`))
  })

  it('finds out that a server calls the user by what stands before the @', async () => {
    const home = new LoginHome()
    const smtp = await smtpWith(dovecotPassword, 'jane')
    expect((await home.run(login(smtp.port), dovecotPassword)).exitCode).toBe(0)
    expect(home.kept()).toMatchObject({ user: jane, smtp_user: 'jane' })
    const short = await Dovecot.start({ shortNames: true })
    const args = [
      '--imap',
      `imap://127.0.0.1:${short.port}`,
      '--smtp',
      `smtp://127.0.0.1:${smtp.port}`,
    ]
    await home.run(['mail', 'login', jane, ...args], dovecotPassword)
    expect(home.kept()).toEqual(expect.objectContaining({ address: jane, user: 'jane' }))
    expect((await home.run(['mail', 'status'])).exitCode).toBe(0)
    // Who is named is tried by that name alone.
    const tries = smtp.logins()
    const named = await home.run(login(smtp.port, '--user', 'paul'), dovecotPassword)
    expect([named.exitCode, smtp.logins()]).toEqual([1, tries + 1])
  })

  it('logs in by an access token, and keeps none', async () => {
    const home = new LoginHome({ AGENTMAIL_MAIL_TOKEN: dovecotPassword })
    const smtp = await smtpWith(dovecotPassword)
    const { stdout, stderr, exitCode } = await home.run(login(smtp.port))
    expect([exitCode, tracesOf(dovecotPassword, stdout + stderr)]).toEqual([0, []])
    expect([...smtp.methods]).toEqual(['XOAUTH2'])
    expect(home.kept()).toMatchObject({ address: jane, user: jane })
    expect(home.kept()).not.toHaveProperty('password')
    expect((await home.run(['mail', 'status'])).exitCode).toBe(0)
    const without = await home.run(['mail', 'status'], '', { AGENTMAIL_MAIL_TOKEN: '' })
    expect([without.exitCode, without.stdout]).toEqual([
      1,
      expect.stringContaining('Set AGENTMAIL_MAIL_TOKEN to one, or run: agentmail mail login'),
    ])
    const ended = await home.run(login(smtp.port), '', { AGENTMAIL_MAIL_TOKEN: 'an-old-token' })
    expect(ended.stderr).toMatch(/Check the user and AGENTMAIL_MAIL_TOKEN/)
  })

  it('ends with a sentence where there is no server', async () => {
    const home = new LoginHome()
    const smtp = await smtpWith(dovecotPassword)
    const args = [
      '--imap',
      'imaps://imap.example.invalid',
      '--smtp',
      `smtp://127.0.0.1:${smtp.port}`,
    ]
    const { stderr, exitCode } = await home.run(['mail', 'login', jane, ...args], dovecotPassword)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /imap\.example\.invalid:993 does not: the name of the mail server does not exist.*\nCheck the network, or name other servers/,
      ),
    ])
    const nobody = await startDnsServer({})
    const lost = { ...loading(['own-names']), OWN_DNS: nobody.address }
    const none = await home.run(['mail', 'login', jane], dovecotPassword, lost)
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Looking for the servers of example\.test …\nerror: no mail server was found/,
      ),
    ])
    expect(home.kept()).toBeUndefined()
  })

  it('tells in a sentence what has stopped to work', async () => {
    const home = new LoginHome()
    const smtp = await startSmtpServer({ user: jane, password: dovecotPassword })
    await home.run(login(smtp.port), dovecotPassword)
    await smtp.close()
    const { stdout, exitCode } = await home.run(['mail', 'status'])
    expect([exitCode, stdout]).toEqual([
      1,
      `IMAP, ${jane} (by agentmail mail login)
  Reading  works: 127.0.0.1:${dovecot.port}
  Sending  does not work: 127.0.0.1:${smtp.port}

sending by 127.0.0.1:${smtp.port}: nobody listens at the port of the mail server.
Check the host and the port, and whether the server runs.
`,
    ])
  })

  it('does not wait for ever for a server that says nothing', async () => {
    const home = new LoginHome()
    const silent = await listening(createServer())
    const smtp = await smtpWith(dovecotPassword)
    const args = ['--imap', `imap://${silent}`, '--smtp', `smtp://127.0.0.1:${smtp.port}`]
    const { stderr, exitCode } = await home.run(['mail', 'login', jane, ...args], dovecotPassword)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/did not answer in time; nothing was kept/),
    ])
  })
})
