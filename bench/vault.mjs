/** B9 and B14: a vault of many notes behind the STDIO server: searches over a raw FTS5 query, lists over a plain read of all heads, and the handshake over that of an empty vault. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { handshake } from '../scripts/handshake.mjs'
import { cleanEnv, median, memoryOf, timed } from './measure.mjs'
import { openPlainHeads } from './plain-heads.mjs'
import { binary } from './servers.mjs'

const rounds = 200
const handshakes = 15
const lists = 15

export async function vaultRows() {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-bench-'))
  const clear = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clear)
  try {
    const rows = []
    for (const count of [10_000, 50_000]) rows.push(...(await measure(folder, count)))
    return rows
  } finally {
    clear()
    process.off('exit', clear)
  }
}

async function measure(folder, count) {
  const shown = count.toLocaleString('en')
  const vault = new BenchVault(join(folder, `vault-${count}`), count)
  const empty = new BenchVault(join(folder, `empty-${count}`), 0)
  const raw = vault.rawIndex()
  const server = await Server.start(vault)
  const times = { word: [], rawWord: [], words: [], rawWords: [] }
  for (let round = 0; round < rounds; round++) {
    const [one, other] = [`frequent${round % 20}`, `frequent${(round + 7) % 20}`]
    times.rawWord.push(await timed(() => raw(one)))
    times.word.push(await timed(() => server.search(one)))
    times.rawWords.push(await timed(() => raw(`${one} ${other}`)))
    times.words.push(await timed(() => server.search(`${one} ${other}`)))
  }
  const memory = memoryOf(server.child.pid)
  const listRows = await measureLists(vault, server, shown)
  server.stop()
  const greetings = { full: [], empty: [] }
  for (let round = 0; round < handshakes; round++) {
    greetings.full.push(await timed(() => greet(vault)))
    greetings.empty.push(await timed(() => greet(empty)))
  }
  return [
    {
      id: 'B9',
      what: `\`search_notes\` for a word in 7 % of ${shown} notes`,
      value: median(times.word),
      base: 'raw FTS5 query',
      baseValue: median(times.rawWord),
      atMost: 3,
    },
    {
      id: 'B9',
      what: `\`search_notes\` for two such words in ${shown} notes`,
      value: median(times.words),
      base: 'raw FTS5 query',
      baseValue: median(times.rawWords),
      atMost: 3,
    },
    ...listRows,
    {
      id: 'B9',
      what: `\`agentmail mcp obsidian\`: spawn to tools/list answered, ${shown} notes`,
      value: median(greetings.full),
      base: 'an empty vault',
      baseValue: median(greetings.empty),
      atMost: 1.2,
    },
    {
      id: 'B9',
      what: `memory of the server that has indexed and searched ${shown} notes`,
      value: memory,
      unit: 'MB',
      base: 'allowed',
      baseValue: 200,
      atMost: 1,
    },
  ]
}

async function measureLists(vault, server, shown) {
  const heads = openPlainHeads(vault.root)
  if (!heads) return []
  const times = { list: [], heads: [] }
  for (let round = 0; round < lists; round++) {
    let [listed, counted] = []
    times.heads.push(
      await timed(async () => {
        counted = await heads.count('status: pending')
      }),
    )
    times.list.push(
      await timed(async () => {
        listed = await server.list('status:pending')
      }),
    )
    if (listed !== counted) throw new Error(`${listed} notes were listed, not ${counted}`)
  }
  heads.close()
  return [
    {
      id: 'B14',
      what: `\`list_notes\` with a filter that one in seven of ${shown} notes passes`,
      value: median(times.list),
      base: 'a plain read of all heads in Python',
      baseValue: median(times.heads),
      atMost: 0.5,
    },
  ]
}

/** Notes of about 2.3 KB with front matter, from words of which the frequent ones are in 7 % of the notes each. */
class BenchVault {
  #state = 1

  constructor(folder, count) {
    this.root = join(folder, 'vault')
    this.env = { ...cleanEnv, VAULT_PATH: this.root, XDG_CACHE_HOME: join(folder, 'cache') }
    this.notes = []
    mkdirSync(this.root, { recursive: true })
    for (let index = 0; index < count; index++) this.#add(index)
  }

  #add(index) {
    const path = `folder ${index % 60}/note ${index}.md`
    const words = Array.from(
      { length: 330 },
      () => `word${Math.floor(this.#random() ** 3 * 30_000)}`,
    )
    for (let one = 0; one < 20; one++) {
      if (this.#random() < 0.07) words[Math.floor(this.#random() * words.length)] = `frequent${one}`
    }
    const body = `# Note ${index}\n\n${words.join(' ')}\n`
    const status = index % 7 === 0 ? 'pending' : 'done'
    const text = `---\nstatus: ${status}\ntags:\n  - bench\n---\n${body}`
    if (index < 60) mkdirSync(join(this.root, path, '..'))
    writeFileSync(join(this.root, path), text)
    this.notes.push([path, text])
  }

  /** The least that SQLite needs to answer the same question. */
  rawIndex() {
    const database = new DatabaseSync(join(this.root, '../raw.db'))
    this.database = database // it is closed when nothing holds it
    database.exec('CREATE VIRTUAL TABLE notes USING fts5(path, body)')
    database.exec('BEGIN')
    const insert = database.prepare('INSERT INTO notes VALUES (?, ?)')
    for (const note of this.notes) insert.run(...note)
    database.exec('COMMIT')
    this.notes = []
    const query = database.prepare(
      "SELECT path, snippet(notes, 1, '', '', '…', 24) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 20",
    )
    return (words) => query.all(words)
  }

  /** The same numbers in every run (a linear congruential generator). */
  #random() {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return this.#state / 2 ** 32
  }
}

const startServer = ({ env }) => spawn(process.execPath, [binary, 'mcp', 'obsidian'], { env })

/** From nothing to the list of tools. */
async function greet(vault) {
  const child = startServer(vault)
  const lines = new Lines(child.stdout)
  child.stdin.write(handshake)
  await lines.until('"id":2')
  child.kill('SIGKILL')
}

class Server {
  #id = 2

  /** Ready when it has indexed the vault. */
  static async start(vault) {
    const server = new Server()
    server.child = startServer(vault)
    const ready = new Lines(server.child.stderr).until('the vault is indexed')
    server.lines = new Lines(server.child.stdout)
    server.child.stdin.write(handshake)
    await ready
    return server
  }

  async search(query) {
    const notes = await this.#notes('search_notes', { query })
    if (notes.length !== 20) throw new Error('Too few notes were found')
  }

  /** How many there are. */
  async list(filter) {
    const notes = await this.#notes('list_notes', { directory: '', filter })
    return notes.length
  }

  async #notes(name, args) {
    const id = ++this.#id
    const params = { name, arguments: args }
    const answered = this.lines.until(`"id":${id}`)
    this.child.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`,
    )
    const { result } = JSON.parse(await answered)
    if (!result?.structuredContent) throw new Error(`${name} failed`)
    return result.structuredContent.notes
  }

  stop() {
    this.child.kill('SIGKILL')
  }
}

/** The lines of a stream, one of which is waited for. */
class Lines {
  #rest = ''
  #wanted
  #found

  constructor(stream) {
    stream.setEncoding('utf8').on('data', (text) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop()
      const line = lines.find((one) => this.#wanted && one.includes(this.#wanted))
      if (line) this.#found(line)
    })
  }

  until(text) {
    this.#wanted = text
    return new Promise((resolve) => {
      this.#found = resolve
    })
  }
}
