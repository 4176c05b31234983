/** B13: what the hook before an edit costs that claims the file: as a request of the client, and as a command. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnv, median, timed } from './measure.mjs'
import { binary } from './servers.mjs'

const requests = 300
const commands = 25
const warmUps = 20
/** Late answers are measured, too, in place of being given up. */
const patience = { AGENTMAIL_HOOK_MS: '10000' }

export async function hookRows(start) {
  const repository = mkdtempSync(join(tmpdir(), 'agentmail-bench-'))
  try {
    execFileSync('git', ['init', '--quiet'], { cwd: repository, env: cleanEnv })
    const server = await start.agentmail('hooks', { settings: patience })
    const bare = await start.bareHooks()
    return [await byRequest({ repository, server, bare }), await byCommand({ repository, server })]
  } finally {
    rmSync(repository, { recursive: true, force: true })
  }
}

/** A server that answers nothing, and ours, in turn. */
async function byRequest({ repository, server, bare }) {
  const session = { session_id: 'bench-by-request', cwd: repository }
  const post = async (to, input) => {
    const answer = await to.post('/hooks/claude', JSON.stringify({ ...session, ...input }))
    if (answer !== '{}' && input.hook_event_name === 'PreToolUse') {
      throw new Error(`An edit was not let pass: ${answer}`)
    }
  }
  await post(server, { hook_event_name: 'SessionStart', source: 'startup' })
  const [ours, theirs] = [[], []]
  for (let round = -warmUps; round < requests; round++) {
    const edit = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: {
        file_path: join(repository, `src/by-request-${round}.ts`),
        content: '// A file of two thousand letters.\n'.repeat(60),
      },
    }
    const nothing = await timed(() => post(bare, edit))
    const claimed = await timed(() => post(server, edit))
    if (round < 0) continue
    theirs.push(nothing)
    ours.push(claimed)
  }
  checkClaims({ repository, server }, 'by-request', requests + warmUps)
  return {
    id: 'B13',
    what: 'hook before an edit that claims the file, `POST /hooks/claude`',
    value: median(ours),
    base: 'bare `node:http` that answers `{}`',
    baseValue: median(theirs),
    moreAtMost: 40,
  }
}

/** Bare Node, and ours, in turn; both are given the same. */
async function byCommand({ repository, server }) {
  const env = { ...cleanEnv, ...patience, AGENTMAIL_DB: server.database }
  const run = (args, input) => {
    const ran = spawnSync(process.execPath, args, {
      ...{ env, cwd: repository, input: JSON.stringify(input), encoding: 'utf8' },
    })
    const isGood = ran.status === 0 && ran.stderr === '' && /^(\{.*\}\n)?$/.test(ran.stdout)
    if (!isGood) throw new Error(`node ${args.join(' ')} failed: ${ran.stdout}${ran.stderr}`)
  }
  const session = { session_id: 'bench-by-command', cwd: repository }
  const hook = [binary, 'hook', 'codex']
  run(hook, { ...session, hook_event_name: 'SessionStart', source: 'startup' })
  const [ours, bare] = [[], []]
  for (let round = 0; round < commands; round++) {
    const command = `*** Begin Patch\n*** Add File: src/by-command-${round}.ts\n+one\n*** End Patch`
    const edit = {
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command },
    }
    const input = { ...session, ...edit }
    bare.push(await timed(() => run(['-e', '0'], input)))
    ours.push(await timed(() => run(hook, input)))
  }
  checkClaims({ repository, server }, 'by-command', commands)
  return {
    id: 'B13',
    what: 'the same as a command, `agentmail hook codex`, through a running server',
    value: median(ours),
    base: 'bare `node -e 0`',
    baseValue: median(bare),
    atMost: 1.6,
  }
}

/** What was measured is worth nothing where nothing was claimed. */
function checkClaims({ repository, server }, name, expected) {
  const text = execFileSync(process.execPath, [binary, 'claims', '--json'], {
    ...{ cwd: repository, env: { ...cleanEnv, AGENTMAIL_DB: server.database }, encoding: 'utf8' },
  })
  const { claims } = JSON.parse(text)
  const found = claims.filter(({ file_path }) => file_path.startsWith(`src/${name}-`)).length
  if (found !== expected) throw new Error(`${found} of ${expected} files were claimed`)
}
