/** Loaded into a server by a test: notes in a file (FILE_CALLS) what it does to files, when it is done, and when it answers. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { placeOf } from '../place-of.ts'

const log = fs.openSync(process.env.FILE_CALLS ?? '', 'a')
const { writeSync } = fs

const note = (...words: string[]): void => {
  writeSync(log, `${JSON.stringify(words)}\n`)
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
