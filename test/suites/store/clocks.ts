/** Clocks of servers that are set back or forward, or slept: who is alive stays, and who is not goes in the end. */
import { expect, it, vi } from 'vitest'
import { SharedClock, WatchedClock } from '../../../src/coordination/clocks.ts'
import { Sweeper } from '../../../src/coordination/sweeper.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  type NewDatabase,
  staleMs,
  TestClock,
  TestDatabase,
  troubled,
  upTo,
} from '../../support/store/databases.ts'

const everyMs = 30_000
const hour = 3_600_000
const day = 24 * hour
/** Within this a dead agent is gone, though the clock was set just when it would have been. */
const inTheEnd = 3 * staleMs + 2 * everyMs

/** A server that sweeps, an agent that is heard of all the time, and time that passes when it is told to. */
async function open(newDatabase: NewDatabase, isShared: boolean) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const clock = new TestClock()
  const seen = new WatchedClock(
    isShared ? await SharedClock.open(async () => clock.ms) : clock,
    staleMs,
  )
  const database = await TestDatabase.create(newDatabase)
  let jump = 0
  let isGone = false
  const through = troubled((moment) => {
    if (moment === 'before') clock.ms += jump
    jump = 0
    return isGone ? 'unreachable' : undefined
  })
  const { coordination, project } = await database.server({ clock: seen, through })
  let sweeping: Promise<number> | undefined
  const sweep = () => {
    sweeping = coordination.sweep()
    return sweeping
  }
  const startSweeping = () =>
    new Sweeper({ sweep, clock: seen, isDown: () => isGone, staleMs, everyMs })
  let sweeper = startSweeping()
  const register = async (name: string) =>
    (await project.agents.register({ name, role: 'b' })).agent_id
  const living = await register('living')
  return {
    clock,
    project,
    register,
    sweep,
    /** The clock and the steady time go on together, and the living agent is heard of. */
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= everyMs / 2) {
        const step = Math.min(left, everyMs / 2)
        clock.ms += step
        vi.advanceTimersByTime(step)
        await new Promise((resolve) => setImmediate(resolve)) // a shared clock is looked at first
        await sweeping?.catch(() => {}) // where it fails, it says so in the log
        await project.agents.heartbeat({ agent_id: living }).catch((error: unknown) => {
          if (!isGone) throw error
        })
      }
    },
    /** The clock is set by so much when the next write begins. */
    setAtNextWrite(ms: number): void {
      jump = ms
    },
    /** From now on the database can be written, or not. */
    setReach(isThere: boolean): void {
      isGone = !isThere
    },
    restart(): void {
      sweeper.stop()
      sweeper = startSweeping()
    },
    names: async () => (await project.agents.list()).agents.map(({ name }) => name).sort(),
    close(): void {
      sweeper.stop()
      vi.useRealTimers()
    },
  }
}

export function clocksSuite(newDatabase: NewDatabase): void {
  const withSweeper = async (
    work: (world: Awaited<ReturnType<typeof open>>) => Promise<void>,
    isShared = false,
  ) => {
    const world = await open(newDatabase, isShared)
    await work(world).finally(world.close)
  }

  it('removes who is silent, and nobody else, while the clock goes as it should', () =>
    withSweeper(async ({ register, pass, names }) => {
      await register('dead')
      await pass(staleMs - everyMs)
      expect(await names()).toEqual(['dead', 'living'])
      await pass(3 * everyMs)
      expect(await names()).toEqual(['living'])
    }))

  const jumps = [
    { oddity: 'set forward by a day', jump: day },
    { oddity: 'set back by a day', jump: -day },
    { oddity: 'set forward by three minutes', jump: 180_000 },
    { oddity: 'set back by three minutes', jump: -180_000 },
    { oddity: 'set back by a minute', jump: -60_000 },
  ]
  const clocks = [
    { whose: 'the server’s', isShared: false },
    { whose: 'the database’s', isShared: true },
  ]
  it.each(clocks.flatMap((one) => jumps.map((other) => ({ ...one, ...other }))))(
    'keeps the living and removes the dead when $whose clock is $oddity',
    ({ isShared, jump }) =>
      withSweeper(async ({ clock, register, pass, names }) => {
        await pass(staleMs)
        await register('silent for a moment')
        clock.ms += jump
        await pass(staleMs - everyMs)
        expect(await names()).toEqual(['living', 'silent for a moment'])
        await pass(inTheEnd - staleMs + everyMs)
        expect(await names()).toEqual(['living'])
      }, isShared),
  )

  it('keeps the living when the clock is set back, and forward again before the next sweep', () =>
    withSweeper(async ({ clock, pass, names }) => {
      await pass(2 * staleMs)
      clock.ms -= day
      await pass(1000) // in which the living agent is heard of
      clock.ms += day
      await pass(everyMs)
      expect(await names()).toEqual(['living'])
    }))

  it('removes who was there before the clock was set back, and died then', () =>
    withSweeper(async ({ clock, register, pass, names }) => {
      clock.ms += 30 * day
      await register('from the future')
      clock.ms -= 30 * day
      await pass(inTheEnd)
      expect(await names()).toEqual(['living'])
    }))

  it('keeps the living when the clock is set while a sweep waits for the database', () =>
    withSweeper(async ({ pass, sweep, setAtNextWrite, names }) => {
      await pass(staleMs)
      setAtNextWrite(day)
      await sweep()
      expect(await names()).toEqual(['living'])
    }))

  it('gives everybody the whole time again after a start, however long nobody could be heard', () =>
    withSweeper(async ({ clock, register, pass, restart, names }) => {
      await register('silent')
      clock.ms += day
      restart()
      await pass(staleMs - everyMs)
      expect(await names()).toEqual(['living', 'silent'])
      await pass(3 * everyMs)
      expect(await names()).toEqual(['living'])
    }))

  it('gives everybody the whole time again after the database was gone, since nobody could be heard', () =>
    withSweeper(async ({ clock, register, pass, setReach, names }) => {
      await register('silent')
      await pass(staleMs - everyMs)
      setReach(false)
      await pass(2 * staleMs)
      setReach(true)
      clock.ms += everyMs
      vi.advanceTimersByTime(everyMs) // a sweep comes before the first sign of life
      await pass(staleMs - 2 * everyMs)
      expect(await names()).toEqual(['living', 'silent'])
      await pass(3 * everyMs)
      expect(await names()).toEqual(['living'])
    }))

  it('removes the living when a sweep takes silence for death (control)', () =>
    withSweeper(async ({ pass, setReach, sweep, names }) => {
      setReach(false)
      await pass(2 * staleMs)
      setReach(true)
      await sweep()
      expect(await names()).toEqual([])
    }))

  it('removes the living when a sweep trusts a clock that was set forward (control)', () =>
    withSweeper(async ({ clock, sweep, pass, names }) => {
      await pass(staleMs)
      clock.ms += day
      await sweep()
      expect(await names()).toEqual([])
    }))

  it('keeps the living whatever the clock does, and removes the dead when it is done', () =>
    withSweeper(async ({ clock, register, pass, names }) => {
      const random = seededChoice()
      const sizes = [1000, 4000, 6000, staleMs / 2, staleMs, 2 * staleMs, hour, day]
      for (const turn of upTo(isLong ? 500 : 15)) {
        await register(`dead ${turn}`)
        await pass(random(4 * everyMs))
        clock.ms += (sizes[random(sizes.length)] ?? 0) * (random(2) ? 1 : -1)
        expect(await names()).toContain('living')
      }
      await pass(inTheEnd)
      expect(await names()).toEqual(['living'])
    }))
}
