/** Servers in processes of their own, and a client that costs little: plain requests on connections that are kept. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnv, cpuMsOf, memoryOf } from './measure.mjs'

export const binary = join(import.meta.dirname, '../dist/agentmail.cjs')
const bare = join(import.meta.dirname, 'bare-server.mjs')
const bareHooks = join(import.meta.dirname, 'bare-hooks.mjs')

const revisions = { modern: '2026-07-28', legacy: '2025-11-25' }
const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const letter = {
  subject: 'Parser',
  body: 'The tests of the parser are green; the lexer still fails on nested comments.',
}

/** Runs `work` with a way to start servers, which end with it. */
export async function withServers(work) {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-bench-'))
  const running = []
  const start = async (args, database, settings) => {
    const env = { ...cleanEnv, ...settings }
    const server = await Server.start(args, { cwd: folder, env }, database)
    running.push(server)
    return server
  }
  const file = (name) => join(folder, `${name}.db`)
  const clear = () => {
    for (const server of running) server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', clear) // also when the bench is interrupted
  try {
    return await work({
      /** On a file of this name, or on the database at `url`. */
      agentmail: (name, { url, settings } = {}) => {
        const database = url ?? file(name)
        const args = [binary, 'serve', '--json', '--port', '0', '--db', database]
        return start(args, database, settings)
      },
      bare: (name) => start([bare, file(name)], file(name)),
      bareHooks: () => start([bareHooks]),
    })
  } finally {
    await Promise.all(running.map((server) => server.stop()))
    process.off('exit', clear)
    clear()
  }
}

class Server {
  #child
  #ended
  #url
  #agent = new Agent({ keepAlive: true })
  #lastId = 0

  constructor(child, url, database) {
    this.#child = child
    this.#ended = new Promise((resolve) => child.on('close', resolve))
    this.#url = new URL('/mcp', url)
    this.database = database
  }

  static start(args, options, database) {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    return new Promise((resolve, reject) => {
      let output = ''
      let log = ''
      child.stderr.on('data', (chunk) => {
        log += chunk
      })
      child.stdout.on('data', (chunk) => {
        output += chunk
        if (output.endsWith('\n')) resolve(new Server(child, JSON.parse(output).url, database))
      })
      child.on('close', (code) => reject(new Error(`A server ended with ${code}: ${log}`)))
    })
  }

  /** Registers an agent and gives its id. */
  async register(name) {
    const answer = await this.call('register', { name, role: 'coder' })
    return answer.agent_id
  }

  /** Calls a tool and gives what it answers. */
  async call(tool, args, era = 'modern') {
    const text = await this.#post(tool, args, era)
    const { result } = JSON.parse(era === 'modern' ? text : /^data: (.*)$/m.exec(text)?.[1])
    if (!result || result.isError) throw new Error(`${tool} failed: ${text}`)
    return result.structuredContent
  }

  /** Asks a question beyond the tools. */
  async get(path) {
    const reply = await fetch(new URL(path, this.#url))
    if (!reply.ok) throw new Error(`${path} failed: ${await reply.text()}`)
    return reply.json()
  }

  /** Posts JSON, and gives what is answered. */
  post(path, body) {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    return this.#ask(new URL(path, this.#url), headers, body)
  }

  #post(tool, args, era) {
    const isModern = era === 'modern'
    const params = { name: tool, arguments: args, ...(isModern ? { _meta: meta } : {}) }
    const id = ++this.#lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revisions[era],
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
    }
    return this.#ask(this.#url, headers, body)
  }

  #ask(url, headers, body) {
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers, agent: this.#agent }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve(text))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** Resident memory, in MB. */
  memory() {
    return memoryOf(this.#child.pid)
  }

  cpuMs() {
    return cpuMsOf(this.#child.pid)
  }

  /** Where the page is. */
  get url() {
    return new URL('/', this.#url).href
  }

  kill() {
    this.#child.kill('SIGKILL')
  }

  stop() {
    this.#agent.destroy()
    this.#child.kill()
    return this.#ended
  }
}
