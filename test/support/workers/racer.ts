/** Writes, moves, reads and lists notes of a vault again and again, and says how that went. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { AgentMailError } from '../../../src/errors.ts'
import { listNotes } from '../../../src/vault/list.ts'
import { moveNote } from '../../../src/vault/move.ts'
import { readNote, writeNote } from '../../../src/vault/notes.ts'
import { scanNotes } from '../../../src/vault/search/scan.ts'
import { Vault } from '../../../src/vault/vault.ts'

const [root = '', door = '', count = ''] = process.argv.slice(2)

/** Gives what was read, to be looked through for what is outside. */
interface Ways {
  write(path: string): Promise<unknown>
  move(source: string, destination: string): Promise<unknown>
  read(path: string): Promise<unknown>
  list(directory: string): Promise<unknown>
}

function vaultWays(vault: Vault): Ways {
  return {
    write: (path) => writeNote(vault, { path, frontmatter: { n: Math.random() }, body: 'ours' }),
    move: (source, destination) => moveNote(vault, { source, destination }),
    read: (path) => readNote(vault, path),
    list: async (directory) => [
      await listNotes(vault, { directory }),
      (await listNotes(vault, { directory: '', filter: 'is:secret' })).notes.map(() => 'secret'),
      await scanNotes(vault, 'secret', 10),
    ],
  }
}

/** Looks where a path leads, and then uses the path. */
function naiveWays(): Ways {
  const checked = (path: string) => {
    const folder = realpathSync(dirname(join(root, path)))
    if (relative(root, folder).startsWith('..')) throw refused()
    return join(root, path)
  }
  return {
    async write(path) {
      mkdirSync(dirname(checked(path)), { recursive: true })
      writeFileSync(checked(path), 'ours')
    },
    async move(source, destination) {
      renameSync(checked(source), checked(destination))
    },
    read: async (path) => readFileSync(checked(path), 'utf8'),
    list: async (directory) => readdirSync(checked(`${directory}/.`)),
  }
}

const refused = () => new AgentMailError('permission_denied', 'outside')

const doors: Record<string, () => Ways> = {
  held: () => vaultWays(new Vault(root)),
  'by path': () => vaultWays(new Vault(root, { isByDescriptor: false })),
  naive: naiveWays,
}
const ways = doors[door]?.()
if (!ways) throw new Error(`no such door: ${door}`)

const seen = { writes: 0, done: 0, refused: 0, secrets: 0, faults: new Set<string>() }

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

async function attempt(call: () => Promise<unknown>): Promise<void> {
  try {
    const answer = await call()
    seen.done++
    if (JSON.stringify(answer ?? '').includes('secret')) seen.secrets++
  } catch (error) {
    seen.refused++
    const isTold = AgentMailError.is(error) && error.code !== 'storage'
    if (!isTold) seen.faults.add(codeOf(error))
  }
}

/** Each is a place in a table that is not endless. */
const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

const names = ['0.md', 'new.md', 'sub/0.md', 'sub/new.md', 'sub/deep/new.md', 'fresh/a/b/new.md']
await ways.write('Keep/0.md') // loads the lock
const openBefore = openFiles()
for (let turn = 0; seen.writes < Number(count); turn++) {
  const path = `Inbox/${names[turn % names.length]}`
  await attempt(() => ways.write(path))
  await attempt(() => ways.write('leaf.md'))
  await attempt(() => ways.write('Keep/0.md'))
  await attempt(() => ways.move('Keep/0.md', `Inbox/${turn % 2 === 0 ? '' : 'sub/'}moved.md`))
  await attempt(() => ways.move('Inbox/sub/0.md', `Keep/${turn}.md`))
  seen.writes += 5
  await attempt(() => ways.read('Inbox/0.md'))
  await attempt(() => ways.read('Inbox/sub/0.md'))
  await attempt(() => ways.read('leaf.md'))
  await attempt(() => ways.read(`Keep/${turn}.md`))
  if (turn % 10 === 0) await attempt(() => ways.list('Inbox'))
  await setImmediate()
}
const leaked = openFiles() - openBefore
writeSync(1, JSON.stringify({ ...seen, leaked, faults: [...seen.faults] }))
