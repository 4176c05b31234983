/** Servers that refuse, delay, or are named in part: what agentmail mail says then, and whom it sends the person to. */
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { advised, DoctorMachine, said } from '../../support/cli/doctor-machine.ts'
import { describeWith } from '../../support/parts.ts'
import { Dovecot, dovecotPassword } from '../../support/providers/dovecot.ts'
import { LoginHome, smtpWith } from '../../support/providers/login/login-home.ts'

const jane = 'jane@example.test'

describeWith('dovecot', 'a mail account', () => {
  let dovecot: Dovecot
  const atEnd = afterAllTests()
  beforeAll(async () => {
    dovecot = await Dovecot.start({}, atEnd)
  })
  const wrong = (url: string) => url.replace(encodeURIComponent(dovecotPassword), 'wrong')

  it('names what its refused login is from', async () => {
    const smtp = await smtpWith(dovecotPassword)
    const home = new LoginHome()
    const imap = { AGENTMAIL_IMAP_URL: wrong(dovecot.url(jane)) }
    const out = { AGENTMAIL_SMTP_URL: wrong(smtp.url) }
    const refused = 'error: the mail server refused the login\n'
    const list = async (env: Record<string, string>) =>
      (await home.run(['mail', 'list'], '', env)).stderr
    expect(await list(imap)).toMatch(
      RegExp(`^${refused}Check the user and the password in AGENTMAIL_IMAP_URL\\.`),
    )
    const token = {
      AGENTMAIL_IMAP_URL: imap.AGENTMAIL_IMAP_URL.replace(':wrong@', '@'),
      AGENTMAIL_MAIL_TOKEN: 'an-old-token',
    }
    expect(await list(token)).toBe(
      `${refused}Check the user and AGENTMAIL_MAIL_TOKEN: access tokens end soon.\n`,
    )
    const send = ['mail', 'send', '--to', jane, '--subject', 'Hello', '--body', 'Hi']
    const sent = await home.run(send, '', { AGENTMAIL_IMAP_URL: dovecot.url(jane), ...out })
    expect(sent.stderr).toContain('Check the user and the password in AGENTMAIL_SMTP_URL.')
    const { stdout } = await home.run(['mail', 'status', '--json'], '', { ...imap, ...out })
    expect(JSON.parse(stdout).next).toMatch(/AGENTMAIL_IMAP_URL\. .*AGENTMAIL_SMTP_URL\.$/)
  })

  it('that was kept is sent to the login, which tells of what is used instead', async () => {
    const smtp = await smtpWith(dovecotPassword)
    const home = new LoginHome()
    const login = [
      ...['mail', 'login', jane, '--imap', `imap://127.0.0.1:${dovecot.port}`],
      ...['--smtp', `smtp://127.0.0.1:${smtp.port}`],
    ]
    const notes = async (env: Record<string, string>) => {
      const { stderr, exitCode } = await home.run(login, dovecotPassword, env)
      expect(exitCode).toBe(0)
      return stderr.match(/^note: .*$/gm)
    }
    expect(await notes({})).toBeNull()
    const urls = { AGENTMAIL_IMAP_URL: dovecot.url(jane), AGENTMAIL_SMTP_URL: smtp.url }
    expect(await notes(urls)).toEqual([
      'note: AGENTMAIL_IMAP_URL is set, and read instead of this login.',
      'note: AGENTMAIL_SMTP_URL is set, and sends instead of this login.',
    ])
    expect(await notes({ AGENTMAIL_MAIL: 'local' })).toEqual([
      'note: AGENTMAIL_MAIL names local, which is used instead of this login.',
    ])
    expect(await notes({ AGENTMAIL_MAIL_TOKEN: dovecotPassword })).toEqual([
      'note: AGENTMAIL_MAIL_TOKEN is the login as long as it is set: no password is kept.',
    ])
  })

  it('is read without a server that sends, and without a sender', async () => {
    const home = new LoginHome()
    const user = 'shortname'
    dovecot.deliver(user, 'From: paul@example.test\r\nSubject: Hello\r\n\r\nHow are you?\r\n')
    const reading = { AGENTMAIL_IMAP_URL: dovecot.url(user) }
    const listed = await home.run(['mail', 'list'], '', reading)
    expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringContaining('Hello')])
    const status = async (env: Record<string, string>) =>
      JSON.parse((await home.run(['mail', 'status', '--json'], '', env)).stdout)
    expect(await status(reading)).toMatchObject({
      ...{ reads: true, sends: false, sends_at: null, state: 'failed' },
      says: 'sending: AGENTMAIL_SMTP_URL is not set',
    })
    const send = ['mail', 'send', '--to', jane, '--subject', 'Hello', '--body', 'Hi']
    const without = await home.run(send, '', reading)
    expect([without.exitCode, without.stderr]).toEqual([
      2,
      expect.stringContaining('AGENTMAIL_SMTP_URL is not set'),
    ])
    const smtp = await smtpWith(dovecotPassword, user)
    const both = { ...reading, AGENTMAIL_SMTP_URL: smtp.url }
    expect(await status(both)).toMatchObject({
      ...{ reads: true, sends: false, address: null },
      says: `sending by 127.0.0.1:${smtp.port}: nobody is named as the sender`,
      next: expect.stringContaining('AGENTMAIL_MAIL_FROM'),
    })
    const nobody = await home.run(send, '', both)
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      1,
      expect.stringMatching(/nobody is named as the sender\nSet AGENTMAIL_MAIL_FROM/),
    ])
    expect(await status({ ...both, AGENTMAIL_MAIL_FROM: jane })).toMatchObject({ state: 'ok' })
  })

  it('whose server waits with its answer is waited for, and doctor says that it does not', async () => {
    const slow = await Dovecot.start({ failureDelay: 6 })
    const smtp = await smtpWith(dovecotPassword)
    const env = { AGENTMAIL_IMAP_URL: wrong(slow.url(jane)), AGENTMAIL_SMTP_URL: smtp.url }
    const { stdout, stderr, exitCode } = await new LoginHome().run(['mail', 'status'], '', env)
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('refused the login.\nCheck')])
    expect(stderr).toMatch(/^Waiting for the mail service: \d+ s …\n$/)
    const report = await (await DoctorMachine.open()).doctor(env)
    expect(said(report, 'IMAP')).toEqual([
      `problem: reading from 127.0.0.1:${slow.port}: the mail server has not answered within 4 s`,
    ])
    expect(advised(report, 'IMAP')).toBe('agentmail mail status waits longer.')
  })
})
