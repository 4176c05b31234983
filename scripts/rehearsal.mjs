/** The end of a build: runs what is run often, and keeps how a server greets and what V8 compiled. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { handshake, handshakeIn, ping } from './handshake.mjs'

const scripts = dirname(fileURLToPath(import.meta.url))
const commands = [
  ['recipients'],
  ['send', '-r', 'other', '-m', 'hello'],
  ['receive'],
  ['status', 'ready'],
  ['post', 'subject', 'text'],
  ['history'],
  ['vault', 'ls'],
  ['mail', 'list'],
  ['drafts', 'list'],
  ['orchestrate', '--once'],
  ['serve', '--port', '0'],
]
/** Through a running server, which the others are without. */
const served = [
  ...[['agents'], ['claims'], ['messages'], ['changes'], ['projects'], ['sent'], ['inbox']],
  ...[['search', 'word'], ['history']],
  ['post', 'subject', 'text'],
  ['claim', 'file'],
  ['release', 'file'],
  ['announce', 'file', 'text'],
  ['send', '-r', 'other', '-m', 'hello'],
]

/** Before an edit, in each client whose hooks are commands. */
const patch = '*** Begin Patch\n*** Add File: file\n+one\n*** End Patch'
const hooks = {
  codex: ['PreToolUse', 'apply_patch', { command: patch }],
  gemini: ['BeforeTool', 'write_file', { file_path: 'file' }],
  copilot: ['PreToolUse', 'Write', { path: 'file' }],
  claude: ['PreToolUse', 'Write', { file_path: 'file' }],
}
const hookInput = ([hook_event_name, tool_name, tool_input]) =>
  JSON.stringify({ session_id: 'build', cwd: '/', hook_event_name, tool_name, tool_input })

/**
 * @param toolsets those that `agentmail mcp` serves
 * @param onKept called when caches have been written, which the next run adds to
 */
export async function rehearse(dist, toolsets, onKept) {
  const stage = new Stage(join(dist, 'agentmail.cjs'))
  try {
    const greetings = { mailbox: greetingOf(stage, 'mailbox') }
    const text = `exports.greetings=${JSON.stringify(greetings)}`
    writeFileSync(join(dist, 'mcp-greetings.cjs'), text)
    const keeper = ['--require', join(scripts, 'keep-code-cache.cjs')]
    const keep = (command, input) => {
      stage.run(command, input, keeper)
      onKept()
    }
    for (const toolset of toolsets) keep(['mcp', toolset], handshake + ping)
    for (const command of commands) keep(command, '')
    const server = await stage.serve()
    try {
      for (const command of served) keep(command, '')
      for (const [client, hook] of Object.entries(hooks)) keep(['hook', client], hookInput(hook))
    } finally {
      await server.stop()
    }
  } finally {
    stage.clear()
  }
}

/** What the server itself answers, in each revision that it speaks. */
function greetingOf(stage, toolset) {
  const initialize = {}
  let tools
  for (const revision of SUPPORTED_PROTOCOL_VERSIONS) {
    const lines = stage.run(['mcp', toolset], handshakeIn(revision)).trimEnd().split('\n')
    const [welcome, listed] = lines.map((line) => JSON.stringify(JSON.parse(line).result))
    initialize[revision] = welcome
    tools ??= listed
    if (tools !== listed) throw new Error(`The tools of ${toolset} are others in ${revision}`)
  }
  return { initialize, tools }
}

/** A repository, and a window of a tmux that says what it is asked for. */
class Stage {
  #binary
  #folder = mkdtempSync(join(tmpdir(), 'agentmail-build-'))

  constructor(binary) {
    this.#binary = binary
    const folders = ['.git/objects', '.git/refs', 'bin', 'vault', 'home']
    for (const folder of folders) mkdirSync(join(this.#folder, folder), { recursive: true })
    writeFileSync(join(this.#folder, '.git/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(this.#folder, '.git/index'), `DIRC\0\0\0\x02${'\0'.repeat(24)}`) // of no file
    writeFileSync(join(this.#folder, '.agentmail.toml'), 'stale_hours = 48\n') // so that its reader is kept too
    const seen = [
      '$0 00 0',
      ...['id %0 1 $0 1 @0 00 /dev/null', 'id %1 1 $0 1 @1 00 /dev/null'],
      ...['window %0 build', 'window %1 other'],
    ]
    const tmux = `#!/bin/sh\ncat <<'END'\n${seen.join('\n')}\nEND\n`
    writeFileSync(join(this.#folder, 'bin/tmux'), tmux, { mode: 0o755 })
  }

  get #surroundings() {
    return {
      cwd: this.#folder,
      env: {
        PATH: [join(this.#folder, 'bin'), process.env.PATH].join(delimiter),
        HOME: join(this.#folder, 'home'),
        TMUX: 'build,1,0',
        TMUX_PANE: '%0',
        VAULT_PATH: join(this.#folder, 'vault'),
        AGENTMAIL_MAIL: 'local',
      },
    }
  }

  /** Gives what it printed. */
  run(command, input, options = []) {
    const args = [...options, this.#binary, ...command]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      ...this.#surroundings,
      input,
      encoding: 'utf8',
    })
    if (status === 0) return stdout
    throw new Error(`agentmail ${command.join(' ')} failed: ${stderr}`)
  }

  /** Resolves when it listens. */
  async serve() {
    const args = [this.#binary, 'serve', '--json', '--port', '0']
    const stdio = ['ignore', 'pipe', 'ignore']
    const server = spawn(process.execPath, args, { ...this.#surroundings, stdio })
    const ended = once(server, 'close')
    const isUp = await Promise.race([once(server.stdout, 'data'), ended.then(() => false)])
    if (!isUp) throw new Error('agentmail serve ended')
    return {
      stop: () => {
        server.kill()
        return ended
      },
    }
  }

  clear() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
