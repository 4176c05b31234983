/** Who gets the password of a mail login, and who may read it: no server that cannot be trusted, no argument, no other user. */
import { chmodSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { loading } from '../../support/loading.ts'
import { describeWith } from '../../support/parts.ts'
import { Dovecot, dovecotPassword } from '../../support/providers/dovecot.ts'
import { startDnsServer } from '../../support/providers/login/dns-server.ts'
import { LoginHome, smtpWith, tracesOf } from '../../support/providers/login/login-home.ts'
import { certificateFor, tlsFront } from '../../support/providers/login/tls-front.ts'

const jane = 'jane@example.test'

describeWith(['dovecot', 'openssl'], 'the password of a mail login', () => {
  let dovecot: Dovecot
  const atEnd = afterAllTests()
  beforeAll(async () => {
    dovecot = await Dovecot.start({}, atEnd)
  })
  const imapUrl = () => `imap://127.0.0.1:${dovecot.port}`
  const login = (smtpPort: number) => [
    ...['mail', 'login', jane, '--imap', imapUrl(), '--smtp', `smtp://127.0.0.1:${smtpPort}`],
  ]

  it('gives no password to a server whose certificate it cannot trust', async () => {
    const home = new LoginHome()
    const certificate = certificateFor('localhost')
    const front = await tlsFront(dovecot.port, certificate)
    const smtp = await smtpWith(dovecotPassword)
    const args = [
      ...['mail', 'login', jane, '--imap', `imaps://localhost:${front.port}`],
      ...['--smtp', `smtp://127.0.0.1:${smtp.port}`],
    ]
    const untrusted = await home.run(args, dovecotPassword)
    expect([untrusted.exitCode, untrusted.stderr]).toEqual([
      1,
      expect.stringMatching(
        /does not: there is no safe connection to the mail server: its certificate is self-signed.*\n.*NODE_EXTRA_CA_CERTS/,
      ),
    ])
    expect([front.heard(), home.kept()]).toEqual(['', undefined])
    const trusted = await home.run(args, dovecotPassword, { NODE_EXTRA_CA_CERTS: certificate.path })
    expect(trusted.exitCode).toBe(0)
    expect(front.heard()).toMatch(/AUTHENTICATE|LOGIN/)
  })

  it('gives no password to a server outside the domain that nobody has named', async () => {
    const certificate = certificateFor('mail.other.test')
    const imap = await tlsFront(dovecot.port, certificate)
    const server = await smtpWith(dovecotPassword)
    const smtp = await tlsFront(server.port, certificate)
    const at = (port: number) => ({
      SRV: [{ priority: 0, weight: 0, port, name: 'mail.other.test' }],
    })
    const dns = await startDnsServer({
      '_imaps._tcp.example.test': at(imap.port),
      '_submissions._tcp.example.test': at(smtp.port),
      'mail.other.test': { A: ['127.0.0.1'] },
    })
    const names = { ...loading(['own-names']), OWN_DNS: dns.address }
    const home = new LoginHome({ ...names, NODE_EXTRA_CA_CERTS: certificate.path })
    const { stderr, exitCode } = await home.run(['mail', 'login', jane], dovecotPassword)
    const flags = `--imap imaps://mail.other.test:${imap.port} --smtp smtps://mail.other.test:${smtp.port}`
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`If that is right, say so: ${flags}`),
    ])
    expect([server.logins(), imap.heard(), home.kept()]).toEqual([0, '', undefined])
    const named = await home.run(['mail', 'login', jane, ...flags.split(' ')], dovecotPassword)
    expect(named.exitCode).toBe(0)
  })

  it('takes no password as an argument, and none of several lines', async () => {
    const home = new LoginHome()
    const secret = 'hunter2-on-the-line'
    const cases: [string[], RegExp, string?][] = [
      [['--imap', `imaps://jane:${secret}@imap.example.test`], /must hold no user and no password/],
      [['--password', secret], /unknown option --password/],
      [['--imap', imapUrl(), '--smtp', 'smtp://127.0.0.1:1'], /there is no password/],
      [['--imap', imapUrl(), '--smtp', 'smtp://127.0.0.1:1'], /must be one line/, 'a\nb'],
      [['--smtp', 'ftp://example.test'], /--smtp is no address of a mail server/],
    ]
    for (const [args, words, password] of cases) {
      const { stderr, exitCode } = await home.run(['mail', 'login', jane, ...args], password)
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(words)])
      expect(stderr).not.toContain(secret)
    }
    expect((await home.run(['mail', 'login'])).stderr).toMatch(/whose mail is it/)
    expect((await home.run(['mail', 'login', 'jane'])).stderr).toMatch(/^error: .*address/)
    const outlook = await home.run(['mail', 'login', 'jane@outlook.com'], secret)
    expect(outlook.stderr).toMatch(/takes no password from programs\nSet AGENTMAIL_MAIL_TOKEN/)
    expect(home.kept()).toBeUndefined()
  })

  it('does not use a login that others can read, that is a link, or that is damaged', async () => {
    const home = new LoginHome()
    const smtp = await smtpWith(dovecotPassword)
    await home.run(login(smtp.port), dovecotPassword)
    const status = async () => {
      const { stdout, exitCode } = await home.run(['mail', 'status', '--json'])
      expect(tracesOf(dovecotPassword, stdout)).toEqual([])
      return [exitCode, JSON.parse(stdout)]
    }
    const refused = (words: RegExp) => [
      1,
      {
        service: 'imap',
        state: 'failed',
        says: expect.stringMatching(words),
        next: expect.stringContaining('agentmail mail login'),
      },
    ]
    const tried = smtp.logins()
    for (const mode of [0o640, 0o604, 0o620, 0o666]) {
      chmodSync(home.path, mode)
      expect(await status()).toMatchObject(refused(/others can read it/))
    }
    chmodSync(home.path, 0o600)
    expect(await status()).toMatchObject([0, { reads: true, sends: true }])
    expect(smtp.logins()).toBe(tried + 1)
    renameSync(home.path, `${home.path}.moved`)
    symlinkSync(`${home.path}.moved`, home.path)
    expect(await status()).toMatchObject(refused(/is a link/))
    const again = await home.run(login(smtp.port), dovecotPassword)
    expect([again.exitCode, statSync(home.path).isFile()]).toEqual([0, true])
    expect(await status()).toMatchObject([0, { state: 'ok' }])
    for (const text of ['{', '{}', '[]', '{"address": "a@b.c", "user": "a"}']) {
      writeFileSync(home.path, text)
      expect(await status()).toMatchObject(refused(/is damaged/))
    }
    writeFileSync(home.path, '')
    expect(await status()).toMatchObject([1, { service: 'gmail', state: 'none' }])
  })
})
