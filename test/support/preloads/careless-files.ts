/** Loaded into a server by a test: one safeguard of its files is off (CARELESS). */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { linkSync, renameSync } = fs

const pieceBytes = 1 << 12

/** Writes over a file where it is, a piece after the other, each of them to disk. */
function writeInPlace(from: fs.PathLike, to: fs.PathLike): void {
  const bytes = fs.readFileSync(from)
  const fd = fs.openSync(to, 'w')
  for (let done = 0; done < bytes.length; ) {
    done += fs.writeSync(fd, bytes, done, Math.min(pieceBytes, bytes.length - done))
    fs.fsyncSync(fd)
  }
  fs.closeSync(fd)
}

const ways: Record<string, () => void> = {
  'in place': () => {
    fs.renameSync = writeInPlace
    fs.linkSync = (from, to) => {
      if (fs.existsSync(to)) linkSync(from, to) // fails as it should
      writeInPlace(from, to)
    }
  },
  'over others': () => {
    fs.linkSync = renameSync
  },
  'not to disk': () => {
    fs.fsyncSync = () => {}
  },
}

const switchOff = ways[process.env.CARELESS ?? '']
if (!switchOff) throw new Error(`no such carelessness: ${process.env.CARELESS}`)
switchOff()
syncBuiltinESMExports()
