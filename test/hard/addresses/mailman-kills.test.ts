/** A mailman that is killed and started again while everybody writes to everybody: what waits is announced, and nothing that was. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inBoth, inWindow, overHttp, overStdio, thePerson } from '../../support/addresses/busy.ts'
import { BusyPlace, expectTrue, patient } from '../../support/addresses/busy-place.ts'
import { type Receipt, ReceiptWatch } from '../../support/addresses/receipts.ts'
import { Traffic } from '../../support/addresses/traffic.ts'
import { eventually } from '../../support/eventually.ts'
import { type RunningMailman, startMailman } from '../../support/mailbox/mailman.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { chosenSeed, randomFrom } from '../../support/seeded-random.ts'
import { upTo } from '../../support/store/databases.ts'

const runs = isLong ? 13 : 1
const kills = 3
const windows = ['coder', 'planner', 'build']

/** How often it has told somebody of mail, one way or the other. */
const announced = (mailman: RunningMailman, name: string): number =>
  mailman.stdout().split(new RegExp(` nudged ${name}\n| ${name} has mail, `)).length - 1

/** Planner is registered too: what agents of the tools write to it is in its channel, all else in a mailbox. */
const kindOf = ({ from, to }: Receipt): string =>
  to === 'planner' && ['visitor', 'local'].includes(from) ? 'message' : 'mail'

/** How often a window may be told of what waits for it: once for each kind of which something is not told. */
function untold(receipts: Receipt[], name: string): number {
  const waiting = receipts.filter(({ to, state }) => to === name && state === 'queued')
  return new Set(waiting.map(kindOf)).size
}

async function kill(mailman: RunningMailman): Promise<void> {
  mailman.kill('SIGKILL')
  expect(await mailman.ended).toMatchObject({ signal: 'SIGKILL' })
}

describeWith('tmux', 'a mailman that is killed under load', () => {
  it.each(upTo(runs))(
    'announces what waits, and nothing that it has announced (%i)',
    { timeout: 900_000 },
    async () => {
      const place = await BusyPlace.open([...windows, 'bell'])
      const { session } = place
      const [coder, planner, build, bell] = await Promise.all(
        [...windows, 'bell'].map((name, window) => inWindow(name, place.window(window))),
      )
      if (!coder || !planner || !build || !bell) throw new Error('there are four windows')
      const visitor = await overHttp('visitor', place.call)
      const everybody = [
        ...[coder, await inBoth(planner, place.call), build, bell, visitor],
        ...[await overStdio('local', place.outside), thePerson(place.outside)],
      ]
      const seed = chosenSeed()
      const random = randomFrom(seed)
      const traffic = new Traffic(everybody, seed)
      const { names } = traffic
      const receipts = new ReceiptWatch(place.outside, names)
      for (const window of upTo(windows.length + 1))
        await session.run(window - 1, ['status', 'ready'])
      let mailman = await startMailman(session, patient)
      const next = async (killed: RunningMailman) => {
        const one = await startMailman(session, patient)
        const pid = readFileSync(join(session.repository, '.agentmail/mailman.pid'), 'utf8')
        expect([pid, one.pid !== killed.pid]).toEqual([`${one.pid}\n`, true])
        return one
      }
      /** What the mailman looks at later it looks at after all that waited. */
      const ring = async () => {
        while ((await traffic.readOnce(bell)) > 0);
        const bells = announced(mailman, 'bell')
        await traffic.write(visitor, 'bell')
        await eventually('the bell rings', () => announced(mailman, 'bell') > bells)
      }

      for (const _ of upTo(kills)) {
        traffic.start(names.filter((name) => name !== 'build')) // build leaves its mail
        const watching = receipts.watch()
        const from = announced(mailman, 'build')
        await session.run(0, ['status', 'ready']) // keys may be typed there
        await eventually('it announces', () => announced(mailman, 'build') > from)
        await sleep(random() * 2000)
        await kill(mailman)
        await sleep(random() * 500)
        receipts.stop()
        await Promise.all([traffic.stop(), watching])
        await traffic.write(visitor, 'build')
        const before = await receipts.all()

        mailman = await next(mailman)
        await eventually('all that waits is told', async () => {
          const now = await receipts.all()
          return windows.every((name) => untold(now, name) === 0)
        })
        await ring()
        for (const name of windows) {
          const times = announced(mailman, name)
          const most = untold(before, name)
          expect([name, times <= most, times, most]).toEqual([name, true, times, most])
        }
        expect(announced(mailman, 'build')).toBe(1)

        await kill(mailman)
        mailman = await next(mailman)
        await ring()
        expect(windows.filter((name) => announced(mailman, name) > 0)).toEqual([])
        place.checkMarks()
      }
      await traffic.readAll()
      place.checkMarks()
      console.log(traffic.summary)
      expectTrue(traffic, await receipts.all())
      mailman.kill('SIGTERM')
      expect((await mailman.ended).exitCode).toBe(0)
    },
  )
})
