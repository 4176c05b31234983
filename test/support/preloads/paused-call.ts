/** Loaded into a server by a test: before its first call of one function of the file system (PAUSE_AT) it says so and waits until it may go on. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const folder = process.env.PAUSE_FOLDER ?? ''

let hasPaused = false

function pause(): void {
  if (hasPaused) return
  hasPaused = true
  fs.writeFileSync(join(folder, 'paused'), '')
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!fs.existsSync(join(folder, 'go'))) Atomics.wait(never, 0, 0, 2)
}

const paused = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
  new Proxy(call, {
    apply(target, self, args) {
      pause()
      return Reflect.apply(target, self, args)
    },
  })

const calls: Record<string, () => void> = {
  fsyncSync: () => {
    fs.fsyncSync = paused(fs.fsyncSync)
  },
  linkSync: () => {
    fs.linkSync = paused(fs.linkSync)
  },
  renameSync: () => {
    fs.renameSync = paused(fs.renameSync)
  },
  unlinkSync: () => {
    fs.unlinkSync = paused(fs.unlinkSync)
  },
}

const prepare = calls[process.env.PAUSE_AT ?? '']
if (!prepare) throw new Error(`no such call: ${process.env.PAUSE_AT}`)
prepare()
syncBuiltinESMExports()
