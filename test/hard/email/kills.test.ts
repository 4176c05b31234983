/** A mail leaves once: senders killed at each step, stopped, ended, and several at the same moment. */
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ended } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { type Mail, MailHome, type Outcome } from '../../support/email/mail-home.ts'
import {
  afterMs,
  killed,
  type Moment,
  moments,
  sendAgain,
  type Victim,
} from '../../support/email/mail-kills.ts'
import { eventually } from '../../support/eventually.ts'
import type { LineClient } from '../../support/mcp/line-client.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { FakeGmail, sendPath } from '../../support/providers/fake-gmail.ts'
import { FakePostmark } from '../../support/providers/fake-postmark.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { startMariadb } from '../../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../../support/store/shared-database-server.ts'

vi.setConfig({ testTimeout: isLong ? 600_000 : 120_000 })

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
beforeEach(() => fake.heal())
afterAll(() => fake.stop())

const victims = ['a command', 'a server'] as const

let lastKey = 0
function newMail(): Mail {
  const key = `draft-${++lastKey}`
  return { to: 'jane@example.com', subject: `About ${key}`, body: 'How are you?', key }
}

const takenOf = ({ subject }: Mail) => fake.sent.filter((sent) => sent.mail.subject === subject)

/** Kills, sends again, and holds the answers and the log against what has arrived. */
class Killing {
  readonly home = MailHome.gmail(fake)
  readonly others: LineClient[] = []
  readonly moments = moments(this.home, fake)
  readonly mails: Mail[] = []

  static async start(): Promise<Killing> {
    const killing = new Killing()
    killing.others.push(await killing.home.server(), await killing.home.server())
    return killing
  }

  /** Gives how it ended, for everybody alike. */
  async kill(victim: Victim, moment: Moment, times = 1): Promise<Outcome> {
    const mail = newMail()
    this.mails.push(mail)
    await killed(this.home, fake, victim, mail, moment)
    const answers = await sendAgain(this.others.slice(0, times), mail)
    const [taken, ...twice] = takenOf(mail)
    expect(twice, `${moment.name}: it is taken once`).toEqual([])
    const truth: Outcome = taken ? { is: 'sent', message_id: taken.id } : { is: 'unknown' }
    expect(answers, moment.name).toEqual(answers.map(() => truth))
    return truth
  }

  async checkLog(): Promise<void> {
    const log = await this.home.log()
    for (const mail of this.mails) {
      const entries = log.filter(({ id, subject }) => id !== null && subject === mail.subject)
      const [taken] = takenOf(mail)
      const told = taken
        ? { state: 'sent', message_id: taken.id, is_audited: true }
        : { state: 'unknown', message_id: null, is_audited: true }
      expect(entries).toEqual([expect.objectContaining({ ...told, to: mail.to })])
    }
    // What was audited and never left has no other entry than its audit.
    expect(log.filter(({ id, state }) => id === null && state !== 'audited')).toEqual([])
  }
}

describe('a sender through Gmail that is killed', () => {
  it('at any step leaves a mail that is sent once, or known to be unclear', async () => {
    const killing = await Killing.start()
    const ends: Record<string, string> = {}
    for (const [index, moment] of Object.values(killing.moments).entries()) {
      for (const victim of victims) {
        if (!isLong && victim !== victims[index % 2]) continue
        const { is } = await killing.kill(victim, moment, 1 + (index % 2))
        ends[moment.name] = is
      }
    }
    const { 'when its request arrives, and the mail is lost': lost, ...others } = ends
    expect(lost).toBe('unknown')
    expect(new Set(Object.values(others))).toContain('sent')
    await killing.checkLog()
  })

  it('at random moments leaves a mail that is sent once, or known to be unclear', async () => {
    const killing = await Killing.start()
    const random = seededRandom()
    const start = performance.now()
    await killing.home.send(newMail())
    const wholeMs = performance.now() - start
    for (let kills = isLong ? 40 : 4; kills > 0; kills--) {
      const victim = kills % 2 === 0 ? 'a command' : 'a server'
      const ms = Math.round(random() * (victim === 'a command' ? wholeMs : 150))
      await killing.kill(victim, afterMs(ms), 1 + (kills % 2))
    }
    await killing.checkLog()
  })

  it('leaves doubles where the mail has no key (control)', async () => {
    const home = MailHome.gmail(fake)
    const { 'when the mail is taken': moment } = moments(home, fake)
    await expectDamage(async () => {
      const mail = { ...newMail(), key: undefined }
      if (moment) await killed(home, fake, 'a command', mail, moment)
      await home.send(mail)
      return takenOf(mail).length - 1
    })
  })
})

describe('a sender through Postmark that is killed', () => {
  it.each(['taken', 'lost'] as const)('leaves its mail as it is: %s', async (fate) => {
    const postmark = await FakePostmark.start()
    const home = new MailHome({ ...postmark.env, DEFAULT_FROM_ADDRESS: 'me@example.com' })
    const mail = newMail()
    const victim = home.startSend(mail)
    postmark.onSend = () => victim.kill('SIGKILL')
    if (fate === 'lost') {
      postmark.faults.push('never take or answer')
      await eventually('its request arrives', () => postmark.requests.length > 0)
      victim.kill('SIGKILL')
    }
    expect(await ended(victim)).toMatchObject({ signal: 'SIGKILL' })
    const answers = await Promise.all([home.send(mail), home.send(mail)])
    const taken = postmark.sent.map(({ MessageID }) => MessageID)
    expect(taken.length).toBe(fate === 'taken' ? 1 : 0)
    const is = fate === 'taken' ? 'sent' : 'unknown'
    expect(answers.map((answer) => answer.is)).toEqual([is, is])
    expect(await home.log()).toMatchObject([{ state: is, message_id: taken[0] ?? null }])
  })
})

it('a trial with the test token of Postmark does not use up the key of a mail', async () => {
  const postmark = await FakePostmark.start()
  const home = new MailHome({ ...postmark.env, DEFAULT_FROM_ADDRESS: 'me@example.com' })
  const mail = newMail()
  const trial = await home.send(mail, { POSTMARK_SERVER_TOKEN: 'POSTMARK_API_TEST' })
  expect([trial.is, postmark.sent.length]).toEqual(['sent', 0])
  expect(await home.send(mail)).toEqual({ is: 'sent', message_id: postmark.sent[0]?.MessageID })
})

describe('processes that send the same draft at the same moment', () => {
  it.each([2, 4])('send it once and get the same answer: %d of them', async (count) => {
    const home = MailHome.gmail(fake)
    const mail = newMail()
    fake.fail({ path: sendPath, fault: 'slow', delayMs: 300 })
    const answers = await Promise.all(Array.from({ length: count }, () => home.send(mail)))
    const [taken, ...twice] = takenOf(mail)
    expect(twice).toEqual([])
    expect(answers).toEqual(answers.map(() => ({ is: 'sent', message_id: taken?.id })))
    expect(await home.log()).toMatchObject([{ state: 'sent', message_id: taken?.id }])
  })
})

describeWith('mariadbd', 'processes with a ledger on MariaDB', () => {
  const server = sharedDatabaseServer(startMariadb)

  it('send the same draft once, whatever state folders they have', async () => {
    const home = MailHome.gmail(fake)
    const mail = newMail()
    const db = await server().newDatabase()
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        home.send(mail, { AGENTMAIL_DB: db, XDG_STATE_HOME: join(home.folder, name) }),
      ),
    )
    const [taken, ...twice] = takenOf(mail)
    expect(twice).toEqual([])
    expect(answers).toEqual(answers.map(() => ({ is: 'sent', message_id: taken?.id })))
    expect(await home.log({ AGENTMAIL_DB: db })).toMatchObject([{ state: 'sent' }])
  })
})
