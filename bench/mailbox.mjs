/** B1–B3: start-up of the STDIO server and of the commands, and the cost of a long mailbox. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handshake } from '../scripts/handshake.mjs'
import { cleanEnv, median, timed } from './measure.mjs'
import { binary } from './servers.mjs'

const rounds = 25
const coldRounds = 5

/** Every row is measured in turn, round by round, so that a slow moment of the machine hits all alike. */
export async function mailboxRows() {
  const desk = await openDesk()
  try {
    desk.fill('short', 10 + rounds)
    desk.fill('long', 100_000 + rounds)
    const names = [
      ...['bare', 'mcp', 'send', 'sendByWindow', 'short', 'long', 'cold'],
      ...['sendShort', 'sendLong'],
    ]
    const times = Object.fromEntries(names.map((name) => [name, []]))
    await desk.agentmail('long', ['receive'])
    await desk.agentmail('short', ['receive'])
    for (let round = 0; round < rounds; round++) {
      times.mcp.push(await desk.startServer())
      times.bare.push(await timed(() => run({ env: cleanEnv }, ['-e', '0'])))
      times.send.push(await desk.agentmail('sender', ['send', '-r', 'other', '-m', 'hello']))
      if (desk.hasTmux)
        times.sendByWindow.push(await desk.byWindow('left', ['send', '-r', 'right', '-m', 'hello']))
      times.short.push(await desk.agentmail('short', ['receive']))
      times.long.push(await desk.agentmail('long', ['receive']))
      times.sendShort.push(await desk.agentmail('sender', ['send', '-r', 'short', '-m', 'hello']))
      times.sendLong.push(await desk.agentmail('sender', ['send', '-r', 'long', '-m', 'hello']))
      if (round >= coldRounds) continue
      // The first receive in a mailbox that another program wrote reads it whole, once.
      desk.fill('cold', 100_000)
      times.cold.push(await desk.agentmail('cold', ['receive']))
    }
    const of = Object.fromEntries(
      Object.entries(times).map(([name, values]) => [name, median(values)]),
    )
    const bare = { base: 'bare `node -e 0`', baseValue: of.bare }
    return [
      {
        id: 'B1',
        what: '`agentmail mcp`: spawn to tools/list answered',
        value: of.mcp,
        ...bare,
        atMost: 2,
      },
      {
        id: 'B2',
        what: '`agentmail send`, whole command, between names that were given',
        value: of.send,
        ...bare,
        atMost: 1.5,
      },
      ...(desk.hasTmux
        ? [
            {
              id: 'B2',
              what: 'the same between names of tmux windows, which tmux is asked for',
              value: of.sendByWindow,
              ...bare,
              atMost: 2,
            },
          ]
        : []),
      {
        id: 'B3',
        what: '`agentmail receive`, 100,000 messages in the mailbox',
        value: of.long,
        base: '10 messages',
        baseValue: of.short,
        atMost: 2,
      },
      {
        id: 'B3',
        what: 'the first `receive` in 100,000 messages that another program wrote',
        value: of.cold,
        base: '10 messages',
        baseValue: of.short,
        atMost: 2,
      },
      {
        id: 'B3',
        what: '`agentmail send`, 100,000 messages in the mailbox',
        value: of.sendLong,
        base: '10 messages',
        baseValue: of.sendShort,
        atMost: 2,
      },
    ]
  } finally {
    desk.close()
  }
}

/** A repository with a real tmux session where there is tmux; named agents otherwise. */
async function openDesk() {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-bench-'))
  execFileSync('git', ['init', '--quiet'], { cwd: folder, env: cleanEnv })
  const named = ['sender', 'short', 'long', 'cold', 'other']
  const windows = [...named, 'left', 'right']
  const session = openTmux(folder, windows)
  const inWindow = (name) => ({
    ...cleanEnv,
    TMUX: session?.TMUX ?? '',
    TMUX_PANE: session?.panes[windows.indexOf(name)] ?? '',
  })
  const envOf = (name) => ({ ...inWindow(name), AGENTMAIL_AGENT: name })
  const command = (env, args) => timed(() => run({ cwd: folder, env }, [binary, ...args]))
  const agentmail = (name, args) => command(envOf(name), args)
  const byWindow = (name, args) => command(inWindow(name), args)
  for (const name of named) await agentmail(name, ['recipients'])
  return {
    agentmail,
    byWindow,
    hasTmux: session !== undefined,
    startServer: () => startServer({ cwd: folder, env: envOf('sender') }),
    fill: (name, count) =>
      writeFileSync(join(folder, '.agentmail/mailboxes', `${name}.jsonl`), mailboxOf(name, count)),
    close() {
      session?.tmux('kill-server')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openTmux(cwd, windows) {
  const socket = `agentmail-bench-${process.pid}`
  const tmux = (...args) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      env: { ...cleanEnv, TMUX_TMPDIR: cwd },
      cwd,
      encoding: 'utf8',
    })
  try {
    const [first, ...others] = windows
    tmux('new-session', '-d', '-s', 'bench', '-n', first, 'cat')
    for (const name of others) tmux('new-window', '-d', '-n', name, 'cat')
  } catch {
    console.log('tmux is not there: measured with agents outside tmux.\n')
    return undefined
  }
  const TMUX = tmux('display-message', '-p', '#{socket_path},#{pid},0').trim()
  return { tmux, TMUX, panes: tmux('list-windows', '-F', '#{pane_id}').trim().split('\n') }
}

/** All read but as many at the end as the rounds will take. */
function mailboxOf(to, count) {
  const created_at = new Date().toISOString()
  const message = 'The tests of the parser are green; the lexer still fails on nested comments.'
  return Array.from({ length: count }, (_, index) => {
    const read_flag = index < count - rounds - 1
    return `${JSON.stringify({ id: String(index).padStart(8, '0'), from: 'sender', to, message, read_flag, created_at })}\n`
  }).join('')
}

function startServer(options) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const server = spawn(process.execPath, [binary, 'mcp'], {
      ...options,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    server.stdout.on('data', (chunk) => {
      output += chunk
      if (!output.includes('"id":2')) return
      const took = performance.now() - started
      server.stdin.end()
      server.on('close', () => resolve(took))
    })
    server.on('error', reject)
    server.stdin.write(handshake)
  })
}

function run(options, args) {
  const stdio = ['ignore', 'ignore', 'pipe']
  const { status, stderr } = spawnSync(process.execPath, args, { ...options, stdio })
  if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`)
}
