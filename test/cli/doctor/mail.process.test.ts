/** What agentmail doctor says of the mail service: it logs in, and sends nothing. */
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { advised, DoctorMachine, said } from '../../support/cli/doctor-machine.ts'
import { listening } from '../../support/listening.ts'
import { address, sharedGoogleLogin } from '../../support/providers/fake-google-login.ts'
import { GmailHome, homeWith, valid } from '../../support/providers/gmail-home.ts'
import { sharedFake } from '../../support/providers/postmark.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'

const google = sharedGoogleLogin()
const postmark = sharedFake()

it('says that none is set up, and that one which is named is not', async () => {
  const machine = await DoctorMachine.open()
  expect(said(await machine.doctor(), 'mail service')).toEqual(['off: none is set up'])
  const report = await machine.doctor({ AGENTMAIL_MAIL: 'gmail' })
  expect(said(report, 'Gmail')).toEqual([expect.stringMatching(/^problem: .*not logged in/)])
  expect(advised(report, 'Gmail')).toContain('agentmail gmail login')
  const smtp = await machine.doctor({ AGENTMAIL_MAIL: 'smtp' })
  expect(said(smtp, 'SMTP')).toEqual(['problem: AGENTMAIL_SMTP_URL is not set'])
})

it('tries every login of Gmail', async () => {
  const machine = await DoctorMachine.open()
  const { home } = homeWith(google(), valid)
  home.put('token-work.json', { refresh_token: '1//dead-refresh-token' })
  const report = await machine.doctor(home.env)
  expect(said(report, 'Gmail')).toEqual([`ok: the login works: ${address}`])
  expect(said(report, 'Gmail work')).toEqual([expect.stringMatching(/^problem: /)])
  const text = JSON.stringify(report)
  expect(google().secrets.filter((secret) => text.includes(secret))).toEqual([])
})

it('does not wait for a Google that says nothing', async () => {
  const machine = await DoctorMachine.open()
  const home = new GmailHome(google(), {
    GMAIL_BASE_URL: `http://${await listening(createServer())}`,
  })
  home.put('token.json', { ...google().issue(), ...valid })
  expect(said(await machine.doctor(home.env), 'Gmail')).toEqual([
    'problem: has not answered within 4 s',
  ])
})

it('logs in to a mail server, and sends nothing', async () => {
  const machine = await DoctorMachine.open()
  const server = await startSmtpServer({ user: 'jane@example.com', password: 'right-password' })
  onTestFinished(() => server.close())
  const smtp = async (url: string) => {
    const report = await machine.doctor({ AGENTMAIL_SMTP_URL: url })
    expect(JSON.stringify(report)).not.toMatch(/(right|wrong)-password/)
    return said(report, 'SMTP')
  }
  expect(await smtp(server.url)).toEqual([`ok: 127.0.0.1:${server.port} takes the login`])
  expect(await smtp(server.url.replace('right', 'wrong'))).toEqual([
    expect.stringMatching(/^problem: .*refused the login/),
  ])
  const silent = await listening(createServer())
  const late = { AGENTMAIL_SMTP_URL: `smtp://jane%40example.com:right-password@${silent}` }
  const report = await machine.doctor(late)
  expect(said(report, 'SMTP')).toEqual([
    `problem: ${silent}: the mail server has not answered within 4 s`,
  ])
  expect(advised(report, 'SMTP')).toContain('agentmail mail status waits longer')
  expect(server.arrivals).toEqual([])
})

it('asks Postmark with the token, and sends nothing', async () => {
  const machine = await DoctorMachine.open()
  const { env } = postmark()
  expect(said(await machine.doctor(env), 'Postmark')).toEqual([
    'ok: takes the token; each mail must name its sender (from), as DEFAULT_FROM_ADDRESS is not set',
  ])
  const wrong = await machine.doctor({ ...env, POSTMARK_SERVER_TOKEN: 'another-token-of-mine' })
  expect(said(wrong, 'Postmark')).toEqual([expect.stringMatching(/^problem: .*HTTP 401/)])
  expect(JSON.stringify(wrong)).not.toContain('another-token-of-mine')
})

it('warns of mail that comes in where nobody reads it, and of a secret that is none', async () => {
  const machine = await DoctorMachine.open()
  const secret = 'a-secret-of-twenty-characters'
  const inbound = async (env: Record<string, string>) =>
    said(await machine.doctor(env), 'inbound mail')
  expect(await inbound({})).toEqual([])
  const env = { AGENTMAIL_INBOUND_SECRET: secret }
  expect(await inbound({ ...env, AGENTMAIL_MAIL: 'local' })).toEqual([
    'ok: comes in at /inbound of the server',
  ])
  expect(await inbound({ ...env, AGENTMAIL_MAIL: 'gmail' })).toEqual([
    'warn: lies in the folder of local mail, and gmail is read',
  ])
  const short = await machine.doctor({ AGENTMAIL_INBOUND_SECRET: 'too-short-by-far' })
  expect(said(short, 'inbound mail')).toEqual([expect.stringMatching(/^problem: .*20 characters/)])
  expect(JSON.stringify(short)).not.toContain('too-short-by-far')
})
