/** Swaps folders and a note of a vault for links to a place outside, to and fro, as fast as it can, until its input ends. Says how often. */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

const [root = '', outside = ''] = process.argv.slice(2)
const stash = join(root, 'Stash')
mkdirSync(stash)

/** What stands in the vault, and where the link that takes its place leads. */
const targets = [
  { path: join(root, 'Inbox'), away: join(stash, 'Inbox'), link: outside },
  { path: join(root, 'Inbox/sub'), away: join(stash, 'sub'), link: join(outside, 'sub') },
  { path: join(root, 'leaf.md'), away: join(stash, 'leaf'), link: join(outside, 'secret.md') },
]

/** Writers make folders and notes meanwhile, so any step may find that it cannot be done. */
function attempt(step: () => void): boolean {
  try {
    step()
    return true
  } catch {
    return false
  }
}

function linger(): void {
  const end = performance.now() + Math.random() * 0.1
  while (performance.now() < end);
}

let stopping = false
process.stdin.resume().on('end', () => {
  stopping = true
})
let swaps = 0
for (; !stopping; await setImmediate()) {
  for (const { path, away, link } of targets) {
    if (!attempt(() => renameSync(path, away))) continue
    if (attempt(() => symlinkSync(link, path))) swaps++
    linger()
    attempt(() => unlinkSync(path))
    while (!attempt(() => renameSync(away, path))) {
      attempt(() => rmSync(path, { recursive: true, force: true }))
    }
    linger()
  }
}
writeSync(1, String(swaps))
