/** Loaded into a command by a test: kills it before its call number KILL_AT that changes a file, or answers. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let left = Number(process.env.KILL_AT)

const killed = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
  new Proxy(call, {
    apply(target, self, args) {
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
      return Reflect.apply(target, self, args)
    },
  })

fs.writeSync = killed(fs.writeSync)
fs.renameSync = killed(fs.renameSync)
fs.linkSync = killed(fs.linkSync)
fs.mkdirSync = killed(fs.mkdirSync)
fs.unlinkSync = killed(fs.unlinkSync)
syncBuiltinESMExports()
