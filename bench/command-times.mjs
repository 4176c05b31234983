/** What one command costs that comes, posts a message, and leaves: on each store, without a server, over bare Node. */
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { cleanEnv, median, timed } from './measure.mjs'
import { binary } from './servers.mjs'

const rounds = 15
const post = ['post', 'Parser', 'The tests of the parser are green.', '--as', 'bench']

/** By store, and `bare`; in turn, round by round. The first round makes the tables. */
export async function commandTimes(houses) {
  const commands = { bare: ['-e', '0'] }
  for (const [name, house] of Object.entries(houses)) {
    commands[name] = [binary, ...post, '--db', await house.newDatabase()]
  }
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const took = await timed(() => run(args))
      if (round > 0) times[name].push(took)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
}

function run(args) {
  const stdio = ['ignore', 'ignore', 'pipe']
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: cleanEnv,
    cwd: tmpdir(),
    stdio,
  })
  if (status !== 0) throw new Error(`A command failed: ${stderr}`)
}
