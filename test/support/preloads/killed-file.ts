/** Loaded into a process by a test: kills it before or after its first change of a file that KILL_WHEN names, as `before link Done/a`. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { placeOf } from '../place-of.ts'

const [side = '', wanted = '', ...words] = (process.env.KILL_WHEN ?? '').split(' ')
const place = words.join(' ')

const killed = <Call extends (...args: never[]) => unknown>(name: string, call: Call): Call =>
  new Proxy(call, {
    apply(target, self, args: unknown[]) {
      // What is linked or renamed is known by its new place.
      const path = name === wanted ? placeOf(args[name === 'write' ? 0 : 1]) : ''
      const isIt = name === wanted && path.includes(`/${place}`)
      if (isIt && side === 'before') process.kill(process.pid, 'SIGKILL')
      const result: unknown = Reflect.apply(target, self, args)
      if (isIt) process.kill(process.pid, 'SIGKILL')
      return result
    },
  })

fs.writeSync = killed('write', fs.writeSync)
fs.renameSync = killed('rename', fs.renameSync)
fs.linkSync = killed('link', fs.linkSync)
syncBuiltinESMExports()
