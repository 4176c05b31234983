/** Loaded into a server by a test: notes in a file (FILE_CALLS) what it does to files, when it is done, and when it answers. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const log = fs.openSync(process.env.FILE_CALLS ?? '', 'a')
const { readlinkSync, writeSync } = fs

const note = (...words: string[]): void => {
  writeSync(log, `${JSON.stringify(words)}\n`)
}

/** The path that a call means: by an open file, by the number of an open folder, or plainly. */
function placeOf(given: unknown): string {
  if (typeof given === 'number') return readlinkSync(`/proc/self/fd/${given}`)
  return String(given).replace(/^\/proc\/self\/fd\/\d+/, (folder) => readlinkSync(folder))
}

const noted = <Call extends (...args: never[]) => unknown>(
  name: string,
  places: number,
  call: Call,
): Call =>
  new Proxy(call, {
    apply(target, self, args: unknown[]) {
      const words = args.slice(0, places).map(placeOf)
      const result: unknown = Reflect.apply(target, self, args)
      note(name, ...words)
      return result
    },
  })

fs.writeSync = noted('write', 1, fs.writeSync)
fs.fsyncSync = noted('fsync', 1, fs.fsyncSync)
fs.renameSync = noted('rename', 2, fs.renameSync)
fs.linkSync = noted('link', 2, fs.linkSync)
fs.mkdirSync = noted('mkdir', 1, fs.mkdirSync)
fs.unlinkSync = noted('unlink', 1, fs.unlinkSync)
syncBuiltinESMExports()

process.stdout.write = new Proxy(process.stdout.write, {
  apply(target, self, args) {
    note('answer')
    return Reflect.apply(target, self, args)
  },
})
