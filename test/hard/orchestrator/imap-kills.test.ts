/** An orchestrator on IMAP that is killed at any moment loses and doubles no mail, no draft and nothing that it sends. */
import { rmSync } from 'node:fs'
import { beforeAll, expect, it, vi } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { expectDamage } from '../../support/control-run.ts'
import { ImapMortal } from '../../support/orchestrator/imap-kills.ts'
import { atChange, killOne, type Moment } from '../../support/orchestrator/orchestrator-kills.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { ImapPlace } from '../../support/providers/imap-place.ts'
import { seededRandom } from '../../support/seeded-random.ts'

vi.setConfig({ testTimeout: isLong ? 3600_000 : 300_000 })

type Kill = (mortal: ImapMortal) => Moment

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** Every change of a file, every command of both servers as it is lost and as it is done, and many of their answers. */
const kills: Kill[] = [
  ...numbers(44).map(
    (count): Kill =>
      () =>
        atChange(count),
  ),
  ...numbers(40).flatMap((line): Kill[] => [
    (mortal) => mortal.atLine('imap', 'before command', line),
    (mortal) => mortal.atLine('imap', 'after command', line),
  ]),
  ...numbers(8).flatMap((line): Kill[] => [
    (mortal) => mortal.atLine('smtp', 'before command', line),
    (mortal) => mortal.atLine('smtp', 'after command', line),
  ]),
  ...numbers(12).map(
    (line): Kill =>
      (mortal) =>
        mortal.atLine('smtp', 'at answer', line),
  ),
  ...numbers(48).map(
    (line): Kill =>
      (mortal) =>
        mortal.atLine('imap', 'at answer', line * 3),
  ),
]

/** So many in one vault: with each there is more to look through. */
const perHome = 10
const homesAtOnce = 2

describeWith('dovecot', 'an orchestrator on IMAP that is killed', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  /** Kills one after the other in one vault; gives how each ended. */
  async function killIn(some: Kill[]): Promise<string[]> {
    const mortal = await ImapMortal.start(place, atEnd)
    const { home } = mortal
    const ends: string[] = []
    home.addMails()
    await home.once()
    for (const kill of some) {
      const subject = await home.approve()
      home.addMails()
      const moment = kill(mortal)
      const isKilled = await killOne(home, moment, 'alone')
      mortal.heal()
      await home.once()
      const all = await home.check()
      ends.push(`${isKilled ? 'killed' : 'ended before'}, ${all[subject]}`)
      console.log(`${moment.name}: ${ends.at(-1)}`)
      // What is known to have left is in Sent, and once.
      const known = Object.keys(all).filter((one) => all[one] === 'sent')
      expect(await mortal.filed()).toEqual(known.map((one) => `Re: ${one}`).toSorted())
    }
    return ends
  }

  it('has sent each answer once, or says that it is not known', async () => {
    expect(kills).toHaveLength(200)
    const random = seededRandom()
    const chosen = isLong ? kills : kills.filter(() => random() < 0.12)
    const homes = Array.from({ length: Math.ceil(chosen.length / perHome) }, (_, index) =>
      chosen.slice(index * perHome, (index + 1) * perHome),
    )
    const ends: string[] = []
    const work = async () => {
      for (let some = homes.pop(); some; some = homes.pop()) ends.push(...(await killIn(some)))
    }
    await Promise.all(Array.from({ length: homesAtOnce }, work))
    for (const end of new Set(ends))
      console.log(`${end}: ${ends.filter((one) => one === end).length}`)
    expect(ends).toHaveLength(chosen.length)
    expect(ends.filter((end) => end.startsWith('killed')).length).toBeGreaterThan(ends.length / 2)
  })

  it('sends twice where it forgets what it has begun, and nothing is in Sent (control)', () =>
    expectDamage(async () => {
      const mortal = await ImapMortal.start(place)
      const { home } = mortal
      home.addMails()
      await home.once()
      await home.approve()
      // The line that ends the mail: it is taken, and the orchestrator dies before it can file it.
      await killOne(home, mortal.atTaken(), 'alone')
      mortal.heal()
      home.forgetSends()
      rmSync(home.stateFile)
      await home.once()
      return home.post.sent().length - 1
    }))
})
