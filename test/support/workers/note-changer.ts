/** Changes every note in Drafts/ and Approved/, and the file that they send along, again and again: as they were seen, and otherwise. */
import { closeSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const [root = '', seen = '', ...others] = process.argv.slice(2)

/** Into the file itself, wherever it has been moved since it was opened; one that is gone is not made anew. */
function change(path: string, text: string): void {
  try {
    const fd = openSync(path, 'r+')
    writeSync(fd, text, 0)
    ftruncateSync(fd, Buffer.byteLength(text))
    closeSync(fd)
  } catch {} // moved away
}

writeSync(1, 'at work\n')
for (let round = 0; ; round++) {
  const text = round % 2 ? (others[(round >> 1) % others.length] ?? seen) : seen
  for (const folder of ['Drafts', 'Approved']) {
    for (const name of readdirSync(join(root, folder))) {
      if (name.endsWith('.md')) change(join(root, folder, name), text)
    }
  }
  change(join(root, 'Files/a.txt'), round % 8 === 7 ? 'secret' : 'public')
  // Now and then it rests while all is as it was seen, or a whole command would never be in time.
  await setTimeout(round % 20 === 0 ? 150 : 1)
}
