/** Servers that are ended or stopped while they send: what is under way is finished, and nothing goes out twice. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended } from '../../support/agentmail.ts'
import { MailHome, type Outcome, outcomeOf, sendByTool } from '../../support/email/mail-home.ts'
import { eventually } from '../../support/eventually.ts'
import { loading, oddTime } from '../../support/loading.ts'
import type { LineClient } from '../../support/mcp/line-client.ts'
import { FakeGmail, sendPath } from '../../support/providers/fake-gmail.ts'
import { FakePostmark } from '../../support/providers/fake-postmark.ts'
import { mail as postmarkMail } from '../../support/providers/postmark.ts'

const mail = { to: 'jane@example.com', subject: 'Tea', body: 'At four?', key: 'draft-1' }

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
beforeEach(() => {
  fake.heal()
  fake.sent.length = 0
})
afterAll(() => fake.stop())

const ends: [string, (server: LineClient) => void][] = [
  ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
  ['a closed input', ({ child }) => child.stdin.end()],
]

describe.each(ends)('%s while a mail is under way', (_, end) => {
  it('ends a gmail server after the mail, which is answered and recorded', async () => {
    const home = MailHome.gmail(fake)
    const server = await home.server()
    fake.fail({ path: sendPath, fault: 'slow', delayMs: 500 })
    fake.onSend = () => end(server)
    const answer = await sendByTool(server, mail)
    expect(answer).toEqual({ is: 'sent', message_id: fake.sent[0]?.id })
    expect(await server.ended).toMatchObject({ exitCode: 0 })
    expect(await home.log()).toMatchObject([{ state: 'sent', message_id: fake.sent[0]?.id }])
  })

  it('ends a postmark server when its time is over, and the mail is unknown', async () => {
    const postmark = await FakePostmark.start()
    const home = new MailHome({ ...postmark.env, AGENTMAIL_SEND_TIMEOUT_SECONDS: '3' })
    const server = await home.server({}, 'postmark')
    postmark.faults.push('never answer')
    const answer = server.call('send_email', postmarkMail)
    await eventually('its request arrives', () => postmark.requests.length > 0)
    end(server)
    expect(JSON.stringify(await answer)).toContain('not known whether')
    expect(await server.ended).toMatchObject({ exitCode: 0 })
    expect(await home.log()).toMatchObject([{ state: 'unknown', to: postmarkMail.to }])
  })
})

it('a server that is about to end takes no further mail', async () => {
  const home = MailHome.gmail(fake)
  const server = await home.server()
  let another: Outcome | undefined
  // The first is under way until the other is answered, which comes after the signal was heard.
  fake.onSend = async () => {
    server.child.kill('SIGTERM')
    for (let count = 0; count < 5; count++) await server.request('tools/list')
    fake.onSend = undefined
    another = await sendByTool(server, { ...mail, key: 'draft-2' })
  }
  expect(await sendByTool(server, mail)).toMatchObject({ is: 'sent' })
  expect(another).toMatchObject({
    is: 'not sent',
    text: expect.stringContaining('nothing was sent'),
  })
  expect(fake.sent.length).toBe(1)
  expect(await home.log()).toHaveLength(1)
})

describe.runIf(process.platform === 'linux')('a sender that is stopped beyond its time', () => {
  /** For others, its time is over. */
  const later = oddTime({ shiftMs: 10 * 60_000 })

  it('sends nothing when it goes on, where another has sent the mail meanwhile', async () => {
    const home = MailHome.gmail(fake)
    const folder = join(home.folder, 'pause')
    mkdirSync(folder)
    const pause = loading(['paused-call'], { PAUSE_AT: 'fsyncSync', PAUSE_FOLDER: folder })
    const first = ended(home.startSend(mail, pause))
    await eventually('it has written the audit', () => home.audited().length > 0)
    const second = await home.send(mail, later)
    expect(second).toEqual({ is: 'sent', message_id: fake.sent[0]?.id })
    writeFileSync(join(folder, 'go'), '')
    expect(outcomeOf(await first)).toMatchObject({ is: 'not sent' })
    expect(fake.sent.length).toBe(1)
    expect((await home.log()).filter(({ id }) => id !== null)).toMatchObject([{ state: 'sent' }])
  })

  it('has sent the mail once, where it was stopped between giving it away and the answer', async () => {
    const home = MailHome.gmail(fake)
    const child = home.startSend(mail)
    const first = ended(child)
    fake.onSend = () => void child.kill('SIGSTOP')
    await eventually('it is taken', () => fake.sent.length > 0)
    const second = await home.send(mail, later)
    expect(second).toEqual({ is: 'sent', message_id: fake.sent[0]?.id })
    child.kill('SIGCONT')
    expect(outcomeOf(await first)).toEqual(second)
    expect(fake.sent.length).toBe(1)
    expect(await home.log()).toMatchObject([{ state: 'sent', message_id: fake.sent[0]?.id }])
  })

  it('sends the mail once when it goes on, where nobody could know about it meanwhile', async () => {
    const home = MailHome.gmail(fake)
    const token = join(home.folder, 'config/agentmail/gmail/token.json')
    const old = { ...JSON.parse(readFileSync(token, 'utf8')), expiry_date: 1 }
    writeFileSync(token, JSON.stringify(old), { mode: 0o600 })
    const child = home.startSend(mail)
    const first = ended(child)
    let isStopped = false
    fake.onRequest = ({ path }) => {
      if (path !== '/token' || isStopped) return
      isStopped = child.kill('SIGSTOP') // recorded as sending, and not given away yet
    }
    await eventually('it is stopped', () => isStopped)
    // The lock on the token is with the one that is stopped.
    const second = await home.send(mail, { ...later, AGENTMAIL_SEND_TIMEOUT_SECONDS: '1' })
    expect(second).toEqual({ is: 'unknown' })
    expect(fake.sent.length).toBe(0)
    child.kill('SIGCONT')
    expect(outcomeOf(await first)).toEqual({ is: 'sent', message_id: fake.sent[0]?.id })
    expect(await home.send(mail)).toEqual({ is: 'sent', message_id: fake.sent[0]?.id })
    expect(fake.sent.length).toBe(1)
  })
})
