/** Windows whose program is killed and started again while everybody writes to everybody: none twice, and none lost but what one was being handed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inWindow, overHttp, overStdio, thePerson } from '../../support/addresses/busy.ts'
import { BusyPlace, expectTrue, patient } from '../../support/addresses/busy-place.ts'
import { mortalWindows } from '../../support/addresses/mortal-windows.ts'
import { ReceiptWatch } from '../../support/addresses/receipts.ts'
import { Traffic } from '../../support/addresses/traffic.ts'
import { eventually } from '../../support/eventually.ts'
import { startMailman } from '../../support/mailbox/mailman.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { chosenSeed, randomFrom } from '../../support/seeded-random.ts'
import { at, upTo } from '../../support/store/databases.ts'

const runs = isLong ? 8 : 1
const kills = 6

describeWith('tmux', 'windows that are killed under load', () => {
  it.each(upTo(runs))(
    'lose nothing but what each was being handed, and are told of their mail where they are now (%i)',
    { timeout: 900_000 },
    async () => {
      const place = await BusyPlace.open(['desk'])
      const { session } = place
      const visitor = await overHttp('visitor', place.call)
      const everybody = [
        ...[visitor, await overStdio('local', place.outside)],
        ...[thePerson(place.outside), await inWindow('desk', place.window(0))],
      ]
      const { windows, stop } = mortalWindows(
        session,
        everybody.map(({ name }) => name),
      )
      const seed = chosenSeed()
      const random = randomFrom(seed)
      const names = windows.map(({ name }) => name)
      const traffic = new Traffic(everybody, seed, names)
      const receipts = new ReceiptWatch(place.outside, traffic.names)
      await Promise.all(windows.map((window) => window.start()))
      const mailman = await startMailman(session, patient)

      traffic.start()
      const watching = receipts.watch()
      for (const kill of upTo(kills)) {
        const victims = kill % 4 === 0 ? windows : [at(windows, kill % windows.length)]
        await sleep(random() * 500)
        await Promise.all(victims.map((window) => window.kill()))
        await sleep(random() * 500)
        await Promise.all(victims.map((window) => window.start()))
        place.checkMarks()
      }
      stop()
      receipts.stop()
      await Promise.all([traffic.stop(), watching, ...windows.map((window) => window.stopped())])
      for (const window of windows) window.tell(traffic)

      for (const name of names) await traffic.write(visitor, name)
      await eventually('the windows are told of what waits', async () => {
        const waiting = (await receipts.all()).filter(({ state }) => state === 'queued')
        return !waiting.some(({ to }) => names.includes(to))
      })
      const recipients = join(session.repository, '.agentmail/recipients.jsonl')
      const known = readFileSync(recipients, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      for (const { name, pane } of windows)
        expect(known.filter((one) => one.name === name)).toMatchObject([{ pane, notified: true }])

      for (const { name, pane } of windows) {
        const { repository, env } = place.window(0)
        const again = await inWindow(name, { repository, env: { ...env, TMUX_PANE: pane } })
        while ((await traffic.readOnce(again)) !== 0);
      }
      await traffic.readAll()
      place.checkMarks()
      console.log(traffic.summary)
      const perCut = Object.fromEntries(names.map((name) => [name, 1]))
      expectTrue(traffic, await receipts.all(), { perCut })
      mailman.kill('SIGTERM')
      expect((await mailman.ended).exitCode).toBe(0)
    },
  )
})
