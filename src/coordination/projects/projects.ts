/** The projects of a database: which one a repository is, what they are called, and where they lie. */
import { isProjectName } from '../../names.ts'
import type { Write } from '../../store/batch.ts'
import { integer, type Reader, type Row, StoreError, text } from '../../store/store.ts'
import type { WriteQueue } from '../../store/write-queue.ts'
import { uuid } from '../../system/random.ts'
import { timeText } from '../time.ts'
import {
  hasRows,
  keyCalled,
  keyOfName,
  keyOfOrigin,
  keyOfRoot,
  knownKeyAt,
  nameOfKey,
  noRepository,
  ofOldDatabase,
  originHash,
  rootHash,
  usualName,
  type Whereabouts,
} from './keys.ts'
import { comparedOrigin, projectNameOf } from './origin.ts'
import { fixedName, nameTaken, noName, noProject } from './project-errors.ts'

export interface ProjectEntry {
  name: string
  /** On the machine that answers. */
  roots: string[]
  agents: number
  messages: number
  last_activity: string | null
}

export class Projects {
  readonly #reader: Reader
  readonly #queue: WriteQueue
  readonly #machine: string
  readonly #onChange: () => void
  /** Names lead to one project for ever, once they lead to any. */
  readonly #keys = new Map<string, string>()

  /** @param parts.onChange is told that there is another one, or that one is called otherwise or lies elsewhere. */
  constructor(parts: { reader: Reader; queue: WriteQueue; machine: string; onChange: () => void }) {
    this.#reader = parts.reader
    this.#queue = parts.queue
    this.#machine = parts.machine
    this.#onChange = parts.onChange
  }

  /** The key of a repository's project. A root that is known keeps it, a clone joins that of its origin, and others get one of their own. */
  async find(where: Whereabouts): Promise<string> {
    const known = await keyOfRoot(this.#reader, where)
    if (known !== undefined && (await isRecorded(this.#reader, where))) return known
    return this.#queue.write((write) => {
      write.afterCommit(this.#onChange)
      return settle(write, where)
    })
  }

  /** The key of the project of this name; of one that nobody has used yet, the name itself. */
  async keyOf(name: string): Promise<string> {
    const known = this.#keys.get(name)
    if (known !== undefined) return known
    const key = await keyCalled(this.#reader, name)
    if (key === undefined) {
      const isOld = name === noRepository && (await isFree(this.#reader, ofOldDatabase))
      return isOld ? ofOldDatabase : name
    }
    this.#keys.set(name, key)
    return key
  }

  /** Of a name whose key was asked for. */
  isKnown = (name: string): boolean => this.#keys.has(name) || name === noRepository

  /** How people call it. */
  nameOf(key: string): Promise<string> {
    return nameOfKey(this.#reader, key)
  }

  /** Where it lies on this machine. */
  async rootsOf(key: string): Promise<string[]> {
    return (await this.#roots()).filter(({ project }) => project === key).map(({ root }) => root)
  }

  /** By name: all that hold something, or were seen as a repository. */
  async names(): Promise<{ key: string; name: string }[]> {
    const known = await this.#reader.all('SELECT project, name FROM repositories')
    const used = await this.#reader.all('SELECT project FROM projects')
    const names = new Map(used.map((row) => [text(row.project), usualName(text(row.project))]))
    for (const row of known) names.set(text(row.project), text(row.name))
    const entries = [...names].map(([key, name]) => ({ key, name }))
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** So many of them, the one in which something happened last first. */
  async latest(most: number): Promise<{ key: string; name: string }[]> {
    const times = new Map<string, number>()
    const written = await this.#reader.all('SELECT project, last_us AS us FROM projects')
    const seen = await this.#reader.all(
      'SELECT project, MAX(last_seen_us) AS us FROM presence GROUP BY project',
    )
    for (const { project, us } of [...written, ...seen]) {
      times.set(text(project), Math.max(times.get(text(project)) ?? 0, integer(us)))
    }
    const time = ({ key }: { key: string }) => times.get(key) ?? 0
    return (await this.names()).sort((one, other) => time(other) - time(one)).slice(0, most)
  }

  async list(): Promise<ProjectEntry[]> {
    const read = async (sql: string) =>
      new Map((await this.#reader.all(sql)).map((row) => [text(row.project), row]))
    const written = await read('SELECT project, last_us FROM projects')
    const agents = await read(
      'SELECT project, COUNT(*) AS agents, MAX(last_seen_us) AS seen_us FROM presence GROUP BY project',
    )
    const messages = await read(
      'SELECT project, COUNT(*) AS messages FROM messages GROUP BY project',
    )
    const roots = await this.#roots()
    return (await this.names()).map(({ key, name }) => {
      const us = Math.max(
        numberIn(written.get(key), 'last_us'),
        numberIn(agents.get(key), 'seen_us'),
      )
      return {
        name,
        roots: roots.filter(({ project }) => project === key).map(({ root }) => root),
        agents: numberIn(agents.get(key), 'agents'),
        messages: numberIn(messages.get(key), 'messages'),
        last_activity: us === 0 ? null : timeText(us),
      }
    })
  }

  /** Its old names lead to it as before: clients that were set up with one are not cut off. */
  async rename(from: string, to: string): Promise<void> {
    if (!isProjectName(to)) throw noName(to)
    if (from === noRepository) throw fixedName(from)
    const key = await this.keyOf(from)
    const others = (await this.names()).map(({ name }) => name)
    await this.#queue.write(async (write) => {
      const isThere = (await isOwned(write, key)) || (await hasRows(write, key))
      if (!isThere) throw noProject(from, others)
      const taken = await keyOfName(write, to)
      const isOthers =
        taken === undefined ? to !== key && (await hasRows(write, to)) : taken !== key
      if (isOthers) throw nameTaken(to)
      if (!(await isOwned(write, key))) await own(write, key, usualName(key))
      if (taken === undefined) await lead(write, to, key)
      await write.run(
        'UPDATE repositories SET name = ?, token = ? WHERE project = ?',
        ...[to, uuid(), key],
      )
      write.afterCommit(this.#onChange)
    })
  }

  async #roots(): Promise<{ root: string; project: string }[]> {
    const rows = await this.#reader.all(
      'SELECT root, project FROM project_roots WHERE machine = ?',
      this.#machine,
    )
    const roots = rows.map((row) => ({ root: text(row.root), project: text(row.project) }))
    return roots.sort((one, other) => (one.root < other.root ? -1 : 1))
  }
}

/**
 * Everything in one transaction, in which whoever comes second meets a key that is taken, or a token that is not its own,
 * and starts over. So each thing is looked up once: some engines show the second look what another has committed since.
 */
async function settle(write: Write, where: Whereabouts): Promise<string> {
  const known = await keyOfRoot(write, where)
  const ofOrigin = await keyOfOrigin(write, where)
  const key = known ?? ofOrigin ?? (await begin(write, where))
  if (known === undefined) {
    const { machine, root } = where
    await write.run(
      'INSERT INTO project_roots (machine, root_hash, root, project) VALUES (?, ?, ?, ?)',
      ...[machine, rootHash(where), root, key],
    )
  }
  if (where.origin !== undefined && ofOrigin === undefined) {
    await write.run(
      'INSERT INTO project_origins (origin_hash, origin, project) VALUES (?, ?, ?)',
      ...[originHash(where), comparedOrigin(where.origin), key],
    )
  }
  return key
}

/** What was stored for it before it was seen is its own: under its name, or where an older database keeps what has none. */
async function begin(write: Write, where: Whereabouts): Promise<string> {
  const wished = await wishedIn(write, where)
  if (wished) {
    await join(write, wished, where.wished ?? wished.key)
    return wished.key
  }
  const name = await freeName(write, where)
  const isOld = !(await hasRows(write, name)) && (await isFree(write, ofOldDatabase))
  const key = isOld ? ofOldDatabase : name
  await own(write, key, name)
  return key
}

interface Wished {
  key: string
  /** As it was before anything else was looked at; nothing where nobody has it. */
  token: string | undefined
}

/** The project that is wished for, where that is its own already, or no repository's. */
async function wishedIn(reader: Reader, where: Whereabouts): Promise<Wished | undefined> {
  const { wished } = where
  if (wished === undefined || wished === noRepository) return undefined
  const key = (await keyCalled(reader, wished)) ?? wished
  const token = await tokenOf(reader, key)
  const own = await knownKeyAt(reader, { ...where, wished: undefined })
  return key === own || !(await isOfRepository(reader, key)) ? { key, token } : undefined
}

/** Of two repositories that wish for one project, the second starts over. */
async function join(write: Write, { key, token }: Wished, name: string): Promise<void> {
  if (token === undefined) return own(write, key, name)
  const joined = await write.run(
    'UPDATE repositories SET token = ? WHERE project = ? AND token = ?',
    ...[uuid(), key, token],
  )
  if (joined !== 1) throw new StoreError('again', 'another repository joined the project')
}

async function freeName(reader: Reader, where: Whereabouts): Promise<string> {
  const wanted = projectNameOf(where)
  let name = wanted
  // Whoever is in no repository has a project of that name.
  const isTaken = async () => name === noRepository || (await keyOfName(reader, name)) !== undefined
  for (let count = 2; await isTaken(); count++) name = `${wanted}-${count}`
  return name
}

/** What its project is called, or will be; nothing is changed. */
export async function nameAt(reader: Reader, where: Whereabouts): Promise<string> {
  const key = await knownKeyAt(reader, where)
  if (key !== undefined) return nameOfKey(reader, key)
  const wished = await wishedIn(reader, where)
  return wished ? nameOfKey(reader, wished.key) : freeName(reader, where)
}

async function own(write: Write, key: string, name: string): Promise<void> {
  await lead(write, name, key)
  await write.run(
    'INSERT INTO repositories (project, name, token) VALUES (?, ?, ?)',
    ...[key, name, uuid()],
  )
}

const lead = (write: Write, name: string, key: string) =>
  write.run('INSERT INTO project_names (name, project) VALUES (?, ?)', name, key)

/** Whether its origin leads to a project already, if it has one. */
const isRecorded = async (reader: Reader, where: Whereabouts): Promise<boolean> =>
  where.origin === undefined || (await keyOfOrigin(reader, where)) !== undefined

const isOfRepository = async (reader: Reader, key: string): Promise<boolean> => {
  const roots = await reader.all('SELECT root FROM project_roots WHERE project = ?', key)
  if (roots.length > 0) return true
  const sql = 'SELECT origin FROM project_origins WHERE project = ?'
  return (await reader.all(sql, key)).length > 0
}

async function tokenOf(reader: Reader, key: string): Promise<string | undefined> {
  const [row] = await reader.all('SELECT token FROM repositories WHERE project = ?', key)
  return row && text(row.token)
}

const isOwned = async (reader: Reader, key: string): Promise<boolean> =>
  (await tokenOf(reader, key)) !== undefined

/** Whether something is stored under a key that no repository has. */
const isFree = async (reader: Reader, key: string): Promise<boolean> =>
  (await hasRows(reader, key)) && !(await isOwned(reader, key))

const numberIn = (row: Row | undefined, column: string): number =>
  row === undefined ? 0 : integer(row[column])
