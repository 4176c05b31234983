/** Plays two agents that want one file, with the real binary as their clients call it, and draws what they saw: docs/two-agents.svg. `--check` compares instead. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { svgOfScreens } from './svg-of-screens.mjs'

const binary = join(import.meta.dirname, '../dist/agentmail.cjs')
const picture = join(import.meta.dirname, '../docs/two-agents.svg')
const file = 'src/api.ts'

const home = mkdtempSync(join(tmpdir(), 'agentmail-scene-'))
const repository = join(home, 'shop')
const env = { PATH: process.env.PATH, HOME: home, AGENTMAIL_HOOK_MS: '20000' }
process.once('exit', () => rmSync(home, { recursive: true, force: true }))

/** Gives what was said, where it ended as it should. */
async function agentmail(args, { input = '', more = {}, exitCode = 0 } = {}) {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: repository,
    env: { ...env, ...more },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  if (code !== exitCode) throw new Error(`agentmail ${args.join(' ')}: ${code}\n${stdout}${stderr}`)
  return { stdout, stderr }
}

/** A session of Claude Code, as AgentMail sees one: its hooks, its tools, and what waits in its background. */
class Session {
  #name
  #screen
  #agentId = ''

  constructor(name, screen) {
    this.#name = name
    this.#screen = screen
  }

  #input(event, fields = {}) {
    return JSON.stringify({
      ...{ session_id: `session-of-${this.#name}`, cwd: repository, hook_event_name: event },
      ...fields,
    })
  }

  async #hook(event, fields = {}) {
    const { stdout } = await agentmail(['hook', 'claude'], {
      input: this.#input(event, fields),
      more: { AGENTMAIL_AGENT: this.#name },
    })
    return JSON.parse(stdout).hookSpecificOutput ?? {}
  }

  async start() {
    const { additionalContext = '' } = await this.#hook('SessionStart', { source: 'startup' })
    this.#agentId = /agent_id ([\da-f-]{36})/.exec(additionalContext)?.[1]
    if (!this.#agentId)
      throw new Error(`${this.#name} was not told who it is: ${additionalContext}`)
  }

  async prompt(prompt) {
    this.#screen('person', `> ${prompt}`)
    await this.#hook('UserPromptSubmit', { prompt })
  }

  /** Gives whether it was let. */
  async edit() {
    const call = { tool_name: 'Edit', tool_input: { file_path: join(repository, file) } }
    this.#screen('agent', `● Edit ${file}`)
    const { permissionDecisionReason: refusal } = await this.#hook('PreToolUse', call)
    if (refusal !== undefined) {
      this.#screen('refused', `  ${refusal}`)
      return false
    }
    await this.#hook('PostToolUse', call)
    const { stdout } = await agentmail(['claims', '--json'])
    const claim = JSON.parse(stdout).claims.find(({ file_path }) => file_path === file)
    this.#screen('told', `  claimed for ${claim.holder_name}`)
    return true
  }

  async use(tool, fields, shown) {
    this.#screen('agent', `● ${tool} ${shown}`)
    const id = { agent_id: this.#agentId }
    const calls = { name: tool, arguments: { ...id, ...fields } }
    const info = { name: 'scene', version: '1' }
    const initial = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info }
    const lines = [
      { id: 1, method: 'initialize', params: initial },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: calls },
    ].map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`)
    const { stdout } = await agentmail(['mcp', 'coordination'], { input: lines.join('') })
    if (!stdout.includes('"id":2') || stdout.includes('"isError":true')) throw new Error(stdout)
  }

  /** The end of a turn; gives whether it goes on. */
  async stop(isAgain = false) {
    this.#screen('agent', '● Done.')
    const { additionalContext } = await this.#hook('Stop', { stop_hook_active: isAgain })
    if (additionalContext) this.#mail(additionalContext)
    return additionalContext !== undefined
  }

  /** What waits in the background of an idle session; `woken` is kept when it has ended. */
  waits() {
    const more = { CLAUDE_CODE_SESSION_ATTENDED: '1' }
    const ended = agentmail(['wake', 'claude'], { input: this.#input('Stop'), more, exitCode: 2 })
    return async () => {
      const { stderr } = await ended
      this.#screen('mail', /^.*?\.(?= )/.exec(stderr)?.[0] ?? stderr) // the rest says how to read it
      const { additionalContext } = await this.#hook('UserPromptSubmit', { prompt: stderr })
      this.#mail(additionalContext)
    }
  }

  /** Who has written what, without the words around it that are for the model. */
  #mail(text) {
    const lines = text.split('\n').filter((line) => /^(From|>) ?/.test(line))
    if (lines.length === 0) throw new Error(`No mail was handed over: ${text}`)
    this.#screen('mail', lines.join('\n'))
  }
}

/** The rows of both, one below the other as it happened. */
async function play() {
  const rows = []
  const screen = (column) => (kind, text) => rows.push({ column, kind, text: withoutChance(text) })
  const [coder, reviewer] = [new Session('coder', screen(0)), new Session('reviewer', screen(1))]
  await coder.start()
  await reviewer.start()

  await coder.prompt('Add a route for orders')
  expect(await coder.edit(), 'the first may edit')
  await reviewer.prompt('Rename the route of users')
  expect(!(await reviewer.edit()), 'the second is refused')
  const question = 'May I have src/api.ts?'
  const ask = { channel: '@coder', subject: file, body: question }
  await reviewer.use('send_message', ask, `@coder ${question}`)
  expect(!(await reviewer.stop()), 'the second is idle')
  const woken = reviewer.waits()

  expect(await coder.stop(), 'the first goes on with its mail')
  await coder.use('release_files', { files: [file] }, file)
  const answer = 'It is yours.'
  const reply = { channel: '@reviewer', subject: file, body: answer }
  await coder.use('send_message', reply, `@reviewer ${answer}`)
  expect(!(await coder.stop(true)), 'the first is done')
  await woken()
  expect(await reviewer.edit(), 'the second may edit')
  expect(!(await reviewer.stop(true)), 'the second is done')
  return rows
}

function expect(isSo, what) {
  if (!isSo) throw new Error(`This is not so: ${what}`)
}

/** What is another each time. */
const withoutChance = (text) =>
  text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-18T14:02:11.308000Z')

async function main() {
  execFileSync('git', ['init', '--quiet', repository])
  const server = spawn(process.execPath, [binary, 'serve', '--json', '--port', '0'], {
    ...{ cwd: repository, env, stdio: ['ignore', 'pipe', 'ignore'] },
  })
  try {
    await once(server.stdout, 'data')
    const svg = svgOfScreens({
      title:
        'Two coding agents and one file: the second is refused, asks, and is woken when it is free',
      names: ['coder', 'reviewer'],
      rows: await play(),
    })
    if (!process.argv.includes('--check')) writeFileSync(picture, svg)
    else expect(readFileSync(picture, 'utf8') === svg, 'docs/two-agents.svg shows what happens')
  } finally {
    server.kill()
    await once(server, 'close')
  }
}

await main()
