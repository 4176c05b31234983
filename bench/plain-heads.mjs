/** The baseline of `list_notes`: a program in Python that reads the head of each note, and looks for a line in it. */
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { cleanEnv } from './measure.mjs'

/** Each line that it is given is a line to look for; it answers with the number of notes. */
const program = `
import os, sys
for wanted in sys.stdin:
    line = b'\\n' + wanted.encode()
    count = 0
    for folder, _, names in os.walk(sys.argv[1]):
        for name in names:
            if name.endswith('.md'):
                with open(os.path.join(folder, name), 'rb') as note:
                    head = note.read(4096)
                count += line in head[:head.find(b'\\n---', 4) + 1]
    print(count, flush=True)
`

/** Nothing where there is no Python. */
export function openPlainHeads(root) {
  const { status } = spawnSync('python3', ['--version'], { env: cleanEnv })
  if (status !== 0) {
    console.log('python3 is not there: measured without list_notes.\n')
    return undefined
  }
  const child = spawn('python3', ['-c', program, root], { env: cleanEnv })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async count(line) {
      child.stdin.write(`${line}\n`)
      return Number((await answers.next()).value)
    },
    close: () => child.kill('SIGKILL'),
  }
}
