/** Kills servers of a vault while they write and move notes, and looks after each kill at what is there. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Folder } from '../../../src/system/folder.ts'
import { removeLeftover } from '../../../src/vault/note-change.ts'
import type { Env } from '../agentmail.ts'
import { provenNote, provenVersion } from '../orchestrator/proven-notes.ts'
import { isLong } from '../parts.ts'
import { TestVault } from './vault.ts'
import { VaultServer } from './vault-processes.ts'

interface Damage {
  /** Notes that are no version that was sent, or are gone. */
  torn: string[]
  /** Acknowledged, and older text is there. */
  lost: string[]
  /** What is neither a note nor the one leftover of a killed writer. */
  strays: string[]
  /** Notes that were listed or found where there are none, or the other way round. */
  mislisted: string[]
}

export interface Kills extends Damage {
  kills: number
  acknowledged: number
  /** Kills that left a file behind, or a note at both of its places. */
  interrupted: number
}

const paths = ['a.md', 'Deep/b.md', 'Deep/er/c.md']
const leftoverName = /(^|\/)\.[0-9A-Za-z]{12}\.agentmail-new$/

const filesOf = (vault: TestVault) =>
  vault.files().filter((path) => statSync(join(vault.root, path)).isFile())

const leftoversOf = (vault: TestVault) => filesOf(vault).filter((path) => leftoverName.test(path))

function removeLeftovers(vault: TestVault): void {
  for (const name of ['', 'Deep', 'Deep/er', 'Here', 'There']) {
    if (!statSync(join(vault.root, name), { throwIfNoEntry: false })) continue
    const folder = Folder.root(join(vault.root, name))
    for (const entry of folder.entries()) removeLeftover(folder, entry.name)
    folder.close()
  }
}

/** Of a note, in tens of characters. */
const largest = isLong ? 100_000 : 10_000

/** What a server is told at once, so that it always has something to do. */
const batch = 10

/** Kills a server a moment after it has done something of its work, one piece at least. */
async function killAmid(
  server: VaultServer,
  work: Promise<void>[],
  random: () => number,
  withinMs = 4,
): Promise<void> {
  const enough = 1 + Math.floor(random() * batch * 0.7)
  let done = 0
  for (const one of work)
    one.then(
      () => done++,
      () => {},
    ) // the others are lost with the server
  for (let waited = 0; done < enough && waited < 60_000; waited++) await sleep(1)
  await sleep(random() * withinMs)
  await server.kill()
  await Promise.allSettled(work)
}

const none = (): Kills => ({
  ...{ torn: [], lost: [], strays: [], mislisted: [] },
  ...{ kills: 0, acknowledged: 0, interrupted: 0 },
})

interface Killing {
  kills: number
  random: () => number
  env?: Env
  /** For control runs: all notes so large, and the kill so late, that it meets a server in the midst of writing. */
  isSlow?: boolean
}

/** Kills the servers of one vault while they write, until a note is damaged. */
export async function killWriters(killing: Killing): Promise<Kills> {
  const { kills, random, env = {}, isSlow = false } = killing
  const vault = new TestVault()
  const seen = none()
  const sent = new Map<string, number>()
  const acknowledged = new Map<string, number>()

  async function write(server: VaultServer, path: string): Promise<void> {
    const version = (sent.get(path) ?? 0) + 1
    sent.set(path, version)
    const note = provenNote(`${version}`, isSlow ? 300_000 : 10 * largest ** random())
    const { error } = await server.call('write_note', { path, ...note })
    if (error) seen.torn.push(error.message)
    acknowledged.set(path, version)
    seen.acknowledged++
  }

  function look(): void {
    for (const path of paths) {
      const isThere = statSync(join(vault.root, path), { throwIfNoEntry: false })
      const version = isThere ? Number(provenVersion(vault.text(path))) : 0
      if (!(version <= (sent.get(path) ?? 0))) seen.torn.push(path)
      else if (version < (acknowledged.get(path) ?? 0)) seen.lost.push(path)
    }
    const others = filesOf(vault).filter((path) => !paths.includes(path))
    const leftovers = leftoversOf(vault)
    if (others.length > leftovers.length || leftovers.length > 1) seen.strays.push(...others)
    seen.interrupted += leftovers.length
  }

  /** What a new server says is there; then what was left behind goes. */
  async function ask(server: VaultServer): Promise<void> {
    const expected = filesOf(vault).filter((path) => path.endsWith('.md'))
    const [leftover] = leftoversOf(vault)
    const answers = [await server.call('list_notes', { directory: '' })]
    if (leftover) answers.push(await server.call('search_notes', { query: 'version' }))
    for (const { value } of answers) {
      const text = JSON.stringify(value)
      const isRight = expected.every((path) => text.includes(`"${path}"`))
      if (!isRight || text.includes('agentmail-new')) seen.mislisted.push(text)
    }
    const { error } = await server.call('read_note', { path: leftover ?? '.x.agentmail-new' })
    if (error?.error !== 'permission_denied') seen.mislisted.push(`${leftover} was read`)
    removeLeftovers(vault)
    seen.strays.push(...leftoversOf(vault))
  }

  for (; seen.kills < kills && seen.torn.length === 0; seen.kills++) {
    const server = await VaultServer.open(vault, env)
    await ask(server)
    const work = Array.from({ length: batch }, (_, index) =>
      write(server, paths[index % paths.length] ?? ''),
    )
    await killAmid(server, work, random, isSlow ? 80 : undefined)
    look()
  }
  return seen
}

/** One note that is moved to and fro by servers which are killed. */
export async function killMovers({ kills, random }: Killing): Promise<Kills> {
  const vault = new TestVault()
  const seen = none()
  const { frontmatter, body } = provenNote('1', 100_000)
  const places = ['Here/n.md', 'There/m.md'] as const
  vault.put(places[0], `---\nversion: v1\nsum: ${frontmatter.sum}\n---\n${body}`)
  /** How many moves were acknowledged or repeated: an even one has ended where it all began. */
  let moved = 0
  const placeAfter = (moves: number) => places[moves % 2 === 0 ? 0 : 1]
  const move = (server: VaultServer, moves: number) =>
    server.call('move_note', { source: placeAfter(moves), destination: placeAfter(moves + 1) })

  async function moveOn(server: VaultServer, moves: number): Promise<void> {
    const { error } = await move(server, moves)
    if (error) seen.torn.push(error.message)
    moved++
    seen.acknowledged++
  }

  const statOf = (path: string) => statSync(join(vault.root, path), { throwIfNoEntry: false })

  function look(): void {
    const found = places.filter(statOf)
    const isWhole = (path: string) =>
      provenVersion(readFileSync(join(vault.root, path), 'utf8')) === '1'
    if (found.length === 0 || !found.every(isWhole)) seen.torn.push(found.join())
    if (new Set(found.map((path) => statOf(path)?.ino)).size > 1) seen.strays.push('a copy')
    seen.strays.push(...filesOf(vault).filter((path) => !places.some((place) => place === path)))
    if (found.length > 1) seen.interrupted++
  }

  /** The move that was under way when its server was killed. */
  async function repeat(server: VaultServer): Promise<void> {
    const isDone = statOf(placeAfter(moved)) === undefined
    const { error } = await move(server, moved)
    if (error?.error !== (isDone ? 'not_found' : undefined)) seen.lost.push(`${error?.message}`)
    moved++
    if (filesOf(vault).join() !== placeAfter(moved)) seen.mislisted.push(filesOf(vault).join())
  }

  for (; seen.kills < kills; seen.kills++) {
    const server = await VaultServer.open(vault)
    if (seen.kills > 0) await repeat(server)
    const start = moved
    const work = Array.from({ length: batch }, (_, index) => moveOn(server, start + index))
    await killAmid(server, work, random)
    look()
  }
  return seen
}
