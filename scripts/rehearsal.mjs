/** The end of a build: runs what is run often, and keeps how a server greets and what V8 compiled. */
import { spawnSync } from 'node:child_process'
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

/**
 * @param toolsets those that `agentmail mcp` serves
 * @param onKept called when caches have been written, which the next run adds to
 */
export function rehearse(dist, toolsets, onKept) {
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
    const seen = [
      '$0 00 0',
      ...['id %0 1 $0 1 @0 00 /dev/null', 'id %1 1 $0 1 @1 00 /dev/null'],
      ...['window %0 build', 'window %1 other'],
    ]
    const tmux = `#!/bin/sh\ncat <<'END'\n${seen.join('\n')}\nEND\n`
    writeFileSync(join(this.#folder, 'bin/tmux'), tmux, { mode: 0o755 })
  }

  /** Gives what it printed. */
  run(command, input, options = []) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...options, this.#binary, ...command],
      {
        cwd: this.#folder,
        env: {
          PATH: [join(this.#folder, 'bin'), process.env.PATH].join(delimiter),
          HOME: join(this.#folder, 'home'),
          TMUX: 'build,1,0',
          TMUX_PANE: '%0',
          VAULT_PATH: join(this.#folder, 'vault'),
          AGENTMAIL_MAIL: 'local',
        },
        input,
        encoding: 'utf8',
      },
    )
    if (status === 0) return stdout
    throw new Error(`agentmail ${command.join(' ')} failed: ${stderr}`)
  }

  clear() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
