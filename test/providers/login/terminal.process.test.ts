/** agentmail mail login where a person sits: what they are asked, what their screen shows, and what is left when they break it off. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { binary } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { listening } from '../../support/listening.ts'
import { loading } from '../../support/loading.ts'
import { openSession } from '../../support/mailbox/tmux.ts'
import { describeWith } from '../../support/parts.ts'
import { Dovecot, dovecotPassword } from '../../support/providers/dovecot.ts'
import { startDnsServer } from '../../support/providers/login/dns-server.ts'
import { LoginHome, smtpWith, tracesOf } from '../../support/providers/login/login-home.ts'
import { certificateFor, tlsFront } from '../../support/providers/login/tls-front.ts'

const jane = 'jane@example.test'

/** A terminal in which the command runs; what it shows is held against the password at the end. */
function terminalWith(home: LoginHome, ...args: string[]) {
  const env = Object.entries(home.env).map(([name, value]) => `${name}='${value}'`)
  const { tmux, pane } = openSession(['one'], 'sh')
  const screen = () => tmux('capture-pane', '-pJ', '-S', '-', '-t', pane(0))
  const type = (...keys: string[]) => tmux('send-keys', '-t', pane(0), ...keys)
  const words = [...env, process.execPath, binary, 'mail', 'login', ...args]
  type(`clear; ${words.join(' ')}; echo exit $?`, 'Enter')
  return {
    screen,
    type,
    typeSecret: (text: string) => tmux('send-keys', '-t', pane(0), '-l', text),
    shows: (what: RegExp) => eventually(`it shows ${what}\n`, () => what.test(screen())),
  }
}

const passwordAsked = /Password of jane@example\.test \(not shown\): *\n*$/

describeWith(['dovecot', 'openssl'], 'agentmail mail login on a terminal', () => {
  it('asks for address and password, shows nothing of the password, and asks again for a wrong one', async () => {
    const dovecot = await Dovecot.start()
    const smtp = await smtpWith(dovecotPassword)
    const home = new LoginHome()
    const servers = [
      '--imap',
      `imap://127.0.0.1:${dovecot.port}`,
      '--smtp',
      `smtp://127.0.0.1:${smtp.port}`,
    ]
    const { type, typeSecret, shows, screen } = terminalWith(home, ...servers)
    await shows(/E-mail address: *\n*$/)
    type(jane, 'Enter')
    await shows(passwordAsked)
    typeSecret('wrong-password')
    type('Enter')
    await shows(/refused the login.*Password of jane@example\.test \(not shown\): *\n*$/s)
    // Keys that move, delete and clear are no part of it.
    typeSecret('nothing of this')
    type('C-u')
    typeSecret(`${dovecotPassword}xy`)
    type('BSpace', 'Left', 'BSpace', 'Enter')
    await shows(/Logged in as jane@example\.test.*exit 0/s)
    expect(tracesOf(dovecotPassword, screen())).toEqual([])
    expect(screen()).not.toContain('wrong-password')
    expect(home.kept()).toMatchObject({ user: jane, password: dovecotPassword })
  })

  it('keeps nothing where it is broken off, at a question or while it waits for a server', async () => {
    const silent = await listening(createServer())
    const servers = ['--imap', `imap://${silent}`, '--smtp', `smtp://${silent}`]
    const home = new LoginHome()
    const broken = /The login was broken off: nothing was kept\.\nexit 130/
    const asking = terminalWith(home, ...servers)
    await asking.shows(/E-mail address: *\n*$/)
    asking.type('C-c')
    await asking.shows(broken)
    const secret = terminalWith(home, jane, ...servers)
    await secret.shows(passwordAsked)
    secret.typeSecret('half-of-a-password')
    secret.type('C-c')
    await secret.shows(broken)
    const waiting = terminalWith(home, jane, ...servers)
    await waiting.shows(passwordAsked)
    waiting.typeSecret('some-password')
    waiting.type('Enter')
    await waiting.shows(/Logging in …/)
    waiting.type('C-c')
    await waiting.shows(broken)
    expect(asking.screen() + secret.screen() + waiting.screen()).not.toMatch(/(half|some)-/)
    expect(existsSync(home.path)).toBe(false)
  })

  it('names a server outside the domain, and gives it the password only after a yes', async () => {
    const dovecot = await Dovecot.start()
    const server = await smtpWith(dovecotPassword)
    const certificate = certificateFor('mail.other.test')
    const [imap, smtp] = [
      await tlsFront(dovecot.port, certificate),
      await tlsFront(server.port, certificate),
    ]
    const at = (port: number) => ({
      SRV: [{ priority: 0, weight: 0, port, name: 'mail.other.test' }],
    })
    const dns = await startDnsServer({
      '_imaps._tcp.example.test': at(imap.port),
      '_submissions._tcp.example.test': at(smtp.port),
      'mail.other.test': { A: ['127.0.0.1'] },
    })
    const home = new LoginHome({
      ...loading(['own-names']),
      ...{ OWN_DNS: dns.address, NODE_EXTRA_CA_CERTS: certificate.path },
    })
    const question =
      /would go to mail\.other\.test, outside example\.test\. Is that where your mail is\? \[y\/N\]/
    const no = terminalWith(home, jane)
    await no.shows(question)
    no.type('Enter')
    await no.shows(/exit 130/)
    expect([server.logins(), home.kept()]).toEqual([0, undefined])
    const yes = terminalWith(home, jane)
    await yes.shows(question)
    yes.type('y', 'Enter')
    await yes.shows(passwordAsked)
    yes.typeSecret(dovecotPassword)
    yes.type('Enter')
    await yes.shows(/Logged in as jane@example\.test.*exit 0/s)
    expect(home.kept()).toMatchObject({ imap: { host: 'mail.other.test', port: imap.port } })
  })
})
