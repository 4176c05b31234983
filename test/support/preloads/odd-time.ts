/** Loaded into a server by a test: its clock stands elsewhere (TIME_SHIFT_MS), or its time goes faster (TIME_SPEED). */
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'

const shiftMs = Number(process.env.TIME_SHIFT_MS ?? 0)
const speed = Number(process.env.TIME_SPEED ?? 1)

const wall = Date.now
const start = wall()
Date.now = () => Math.floor(start + (wall() - start) * speed + shiftMs)

const steady = performance.now.bind(performance)
performance.now = () => steady() * speed

const { setTimeout, setInterval } = timers
const faster = <Start extends typeof setTimeout | typeof setInterval>(begin: Start): Start =>
  new Proxy(begin, {
    apply: (target, self, [work, ms, ...rest]) =>
      Reflect.apply(target, self, [work, Number(ms ?? 0) / speed, ...rest]),
  })
timers.setTimeout = globalThis.setTimeout = faster(setTimeout)
timers.setInterval = globalThis.setInterval = faster(setInterval)
syncBuiltinESMExports()
