/** B13 and B2: whole commands through a running server, and `send` beside a database, over bare Node. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnv, median, timed } from './measure.mjs'
import { binary } from './servers.mjs'

const rounds = 25

const read = [['claims'], ['agents'], ['messages'], ['changes'], ['projects']]
const written = [
  ['post', 'Parser', 'The tests are green.', '--as', 'bench'],
  ['claim', 'src/parser.ts', '--as', 'bench'],
]
const send = ['send', '-r', 'other', '-m', 'hello']

/** Every row is measured in turn, round by round. */
export async function servedCommandRows() {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-bench-'))
  try {
    const alone = openHouse(join(folder, 'alone'))
    const served = openHouse(join(folder, 'served'))
    alone.run(written[0]) // makes the database
    const server = await served.serve()
    try {
      const times = await inTurn(rounds, {
        bare: () => alone.node(['-e', '0']),
        ...Object.fromEntries([...read, ...written].map((one) => [one[0], () => served.run(one)])),
        sendServed: () => served.run(send),
        sendAlone: () => alone.run(send),
      })
      return rowsOf(times)
    } finally {
      server.kill()
      await once(server, 'close')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function rowsOf(times) {
  const row = (id, what, name, atMost) => ({
    ...{ id, what, value: times[name], atMost },
    ...{ base: 'bare `node -e 0`', baseValue: times.bare },
  })
  const through = (one, atMost) =>
    row('B13', `\`agentmail ${one[0]}\`, whole command, through a running server`, one[0], atMost)
  return [
    ...read.map((one) => through(one, 1.6)),
    ...written.map((one) => through(one, 2)),
    row('B2', '`agentmail send` beside a database that no server serves', 'sendAlone', 1.5),
    row('B2', '`agentmail send` beside a running server', 'sendServed', 1.5),
  ]
}

/** The median of each; the first round, in which all is new, does not count. */
async function inTurn(rounds, works) {
  const times = Object.fromEntries(Object.keys(works).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, work] of Object.entries(works)) {
      const took = await timed(work)
      if (round > 0) times[name].push(took)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]))
}

/** A repository with two names in its mailbox, and a database of its own. */
function openHouse(cwd) {
  execFileSync('git', ['init', '--quiet', cwd], { env: cleanEnv })
  const env = { ...cleanEnv, XDG_DATA_HOME: join(cwd, '.git/data'), AGENTMAIL_AGENT: 'sender' }
  const node = (args, settings = {}) => {
    const options = { cwd, env: { ...env, ...settings }, stdio: ['ignore', 'ignore', 'pipe'] }
    const { status, stderr } = spawnSync(process.execPath, args, options)
    if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
  }
  node([binary, 'recipients'], { AGENTMAIL_AGENT: 'other' })
  return {
    node,
    run: (command) => node([binary, ...command]),
    async serve() {
      const args = [binary, 'serve', '--json', '--port', '0']
      const stdio = ['ignore', 'pipe', 'ignore']
      const server = spawn(process.execPath, args, { cwd, env, stdio })
      await once(server.stdout, 'data')
      return server
    },
  }
}
