/** An orchestrator that is killed at any moment loses and doubles no mail, no draft and nothing that it sends. */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ended } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { eventually } from '../../support/eventually.ts'
import { KilledHome } from '../../support/orchestrator/killed-home.ts'
import {
  afterCall,
  afterFile,
  afterMs,
  atChange,
  beforeCall,
  beforeFile,
  gmailMoments,
  killOne,
  type Moment,
  type Victims,
} from '../../support/orchestrator/orchestrator-kills.ts'
import { isLong } from '../../support/parts.ts'
import { FakeGmail } from '../../support/providers/fake-gmail.ts'
import { seededRandom } from '../../support/seeded-random.ts'

vi.setConfig({ testTimeout: isLong ? 1800_000 : 180_000 })

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
beforeEach(() => fake.heal())
afterAll(() => fake.stop())

const victims: Victims[] =
  process.platform === 'linux' ? ['alone', 'with its servers'] : ['alone', 'alone']

/** Every change of a file in a run that sends one answer, drafts another, and files a mail. */
const everyChange = Array.from({ length: 60 }, (_, index) => atChange(index + 1))

/** Every call of the same with other servers. */
const everyCall = Array.from({ length: 40 }, (_, index) => [
  beforeCall(index + 1),
  afterCall(index + 1),
]).flat()

/** Kills at each moment, goes on, and holds everything against what has left. Gives how each ended. */
async function kill(home: KilledHome, moments: Moment[], shift = 0): Promise<string[]> {
  const ends: string[] = []
  if (home.questions.size === 0) home.addMails()
  await home.once()
  for (const [index, moment] of moments.entries()) {
    const subject = await home.approve()
    home.addMails()
    const who = victims[(index + shift) % 2] ?? 'alone'
    const isKilled = await killOne(home, moment, who)
    fake.heal()
    const end = (await goOn(home))[subject] ?? ''
    ends.push(end)
    console.log(`${moment.name}, ${who}: ${isKilled ? 'killed' : 'ended before'}, ${end}`)
  }
  await stays(home)
  return ends
}

/** A server that is left alone may take a mail after it was looked for. */
async function goOn(home: KilledHome) {
  await home.once()
  for (let tries = 0; tries < 3 && home.post.isHonest && (await home.isBehind()); tries++) {
    await home.later()
  }
  return home.check()
}

/** What is not known waits for a person, however often it is looked at. */
async function stays(home: KilledHome): Promise<void> {
  const ends = await home.check()
  const sent = home.post.sent()
  for (let times = isLong ? 3 : 1; times > 0 && Object.values(ends).includes('unknown'); times--) {
    expect((await home.later()).exitCode).toBe(1)
    expect(await home.check()).toEqual(ends)
  }
  expect(home.post.sent()).toEqual(sent)
}

describe('an orchestrator that is told to end', () => {
  it('says that it is not known what a server has not answered yet, and ends well', async () => {
    const home = KilledHome.files()
    home.addMails()
    await home.once()
    await home.approve()
    writeFileSync(join(home.home.folder, 'stop'), 'after send_email')
    const child = home.start(home.relayed(), false)
    const end = ended(child)
    await eventually('the mail was taken', () => existsSync(join(home.home.folder, 'stopped')))
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ exitCode: 0, stderr: '' })
    const [note] = (await home.notes()).filter(({ path }) => path.startsWith('Approved/'))
    expect(note?.frontmatter.status).toBe('unknown')
    expect(home.post.sent()).toHaveLength(1)
  })
})

describe('an orchestrator that is killed', () => {
  it('has sent each answer once, with our own mail server', async () => {
    const { lost, taken, answered } = gmailMoments(fake)
    const home = KilledHome.gmail(fake)
    const some = [
      beforeFile('write Logs/gmail_mcp_'),
      beforeFile('link Done/re-'),
      afterFile('link Done/re-'),
      afterFile('rename Done/re-'),
      beforeFile('rename Needs_Action/news'),
      afterFile('rename Needs_Action/news'),
      beforeFile('link Done/news'),
      afterFile('link Drafts/'),
    ]
    const ends = await kill(home, [...(isLong ? [...everyChange, taken] : some), answered])
    expect(new Set(ends)).toEqual(new Set(['sent']))
    // Nobody can know it.
    expect(await kill(home, [lost], 1)).toEqual(['unknown'])
  })

  it('has sent each answer once, or says that it is not known, with a server that knows no keys', async () => {
    const home = KilledHome.files()
    const some = [beforeCall('send_email'), afterCall('send_email')]
    expect(await kill(home, some)).toEqual(['sent', 'sent'])
    expect(await kill(home, [beforeCall('send_email')], 1)).toEqual(['unknown'])
    // Each in a vault of its own, since one that waits there adds to the calls.
    for (const [index, moment] of isLong ? everyCall.entries() : []) {
      await kill(KilledHome.files(), [moment], index + 1)
    }
  })

  it('says that it is not known, with a server that finds nothing it has sent', async () => {
    const home = KilledHome.files({ isHonest: false })
    const some = [afterCall('send_email'), beforeFile('link Done/re-')]
    const ends = await kill(home, isLong ? [...some, ...some] : some)
    expect(ends.slice(0, 2)).toEqual(['unknown', 'sent'])
  })

  it('has sent each answer once, or says that it is not known, at random moments', async () => {
    const random = seededRandom()
    const home = KilledHome.gmail(fake)
    const start = performance.now()
    await home.once()
    const wholeMs = performance.now() - start
    const moments = Array.from({ length: isLong ? 40 : 1 }, () =>
      afterMs(Math.round(random() * wholeMs)),
    )
    // In the midst of a request nobody can know whether it arrived.
    for (const end of await kill(home, moments)) expect(['sent', 'unknown']).toContain(end)
  })

  it('sends twice where it forgets what it has begun (control)', () =>
    expectDamage(async () => {
      const home = KilledHome.files()
      home.addMails()
      await home.once()
      await home.approve()
      await killOne(home, afterCall('send_email'), 'alone')
      home.forgetSends()
      rmSync(home.stateFile)
      await home.once()
      return home.post.sent().length - 1
    }))

  it('sends and takes in nothing twice where its state is lost, with our own mail server', async () => {
    const home = KilledHome.gmail(fake)
    const all = [afterFile('link Needs_Action/'), beforeFile('link Done/re-')]
    for (const moment of isLong ? all : all.slice(1)) {
      home.addMails()
      await home.once()
      await home.approve()
      home.addMails()
      expect(await killOne(home, moment, 'alone')).toBe(true)
      rmSync(home.stateFile)
      await home.once()
      await home.check()
    }
    const [filed = ''] = readdirSync(join(home.vault, 'Done'))
    renameSync(join(home.vault, 'Done', filed), join(home.vault, filed))
    rmSync(home.stateFile)
    await home.once()
    const ids = (await home.notes()).flatMap(({ frontmatter: { message_id: id } }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('sends nothing twice where its vault was moved meanwhile, or its ledger is lost', async () => {
    const moved = KilledHome.files()
    const lost = KilledHome.files()
    for (const home of [moved, lost]) {
      home.addMails()
      await home.once()
      await home.approve()
      expect(await killOne(home, afterCall('send_email'), 'alone')).toBe(true)
    }
    moved.moveVault()
    lost.forgetSends()
    for (const home of [moved, lost]) {
      await home.once()
      expect(await home.check()).toEqual({ 'Question 001': 'sent' })
    }
  })

  it('does not take an answer of the same words for one that is lost', async () => {
    const home = KilledHome.files()
    for (const id of ['a', 'b']) home.post.add('Question: the same', id)
    await home.once()
    await home.approve()
    expect(await killOne(home, beforeCall('2. send_email'), victims[1] ?? 'alone')).toBe(true)
    await home.once()
    const replies = (await home.notes()).filter(({ path }) => path.includes('/re-'))
    const ends = replies.map(({ frontmatter }) => frontmatter.status).sort()
    expect(ends).toEqual(['done', 'unknown'])
  })
})
