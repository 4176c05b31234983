/** STDIO servers that are killed while they write and read, and everybody writes to everybody: none twice, none lost that was acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  byMailboxTools,
  inWindow,
  overHttp,
  overStdio,
  thePerson,
} from '../../support/addresses/busy.ts'
import { BusyPlace, expectTrue } from '../../support/addresses/busy-place.ts'
import { ReceiptWatch } from '../../support/addresses/receipts.ts'
import { Traffic } from '../../support/addresses/traffic.ts'
import { expectDamage } from '../../support/control-run.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { chosenSeed, randomFrom } from '../../support/seeded-random.ts'
import { upTo } from '../../support/store/databases.ts'

const runs = isLong ? 8 : 1
const kills = 10

describeWith('tmux', 'STDIO servers that are killed under load', () => {
  it.each(upTo(runs))(
    'lose nothing that was acknowledged and double nothing (%i)',
    { timeout: 600_000 },
    async () => {
      const place = await BusyPlace.open(['coder', 'tools'])
      const mortal = [
        await overStdio('local', place.outside),
        await byMailboxTools('tools', place.window(1)),
      ]
      const everybody = [
        ...mortal,
        await inWindow('coder', place.window(0)),
        await overHttp('visitor', place.call),
        thePerson(place.outside),
      ]
      const seed = chosenSeed()
      const random = randomFrom(seed)
      const traffic = new Traffic(everybody, seed)
      const receipts = new ReceiptWatch(place.outside, traffic.names)
      traffic.start()
      const watching = receipts.watch()
      for (const kill of upTo(kills)) {
        await sleep(200 + random() * 500)
        await Promise.all(
          mortal.filter((_, at) => kill % 3 === 0 || kill % 2 === at).map((one) => one.kill()),
        )
        place.checkMarks()
      }
      receipts.stop()
      await Promise.all([traffic.stop(), watching])
      await traffic.readAll()
      place.checkMarks()
      console.log(traffic.summary)
      expectTrue(traffic, await receipts.all(), { perCut: { tools: 1 } })
      // What a reader was killed over is given again by a cursor.
      const channel = await place.channelOf('local')
      expect(traffic.lost('local').filter((text) => !channel.includes(text))).toEqual([])
    },
  )

  it('write messages twice when they ask again without a key (control)', {
    timeout: 600_000,
  }, async () => {
    const place = await BusyPlace.open(['coder'])
    const local = await overStdio('local', place.outside, false)
    const everybody = [local, await overHttp('visitor', place.call)]
    const random = randomFrom(chosenSeed())
    await expectDamage(async (attempt) => {
      const traffic = new Traffic(everybody, attempt)
      traffic.start()
      for (const _ of upTo(6)) {
        await sleep(100 + random() * 100)
        await local.kill()
      }
      await traffic.stop()
      const texts = await place.channelOf('visitor')
      return texts.filter((text, at) => texts.indexOf(text) !== at).length
    })
  })
})
