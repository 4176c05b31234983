/** By what a project is found: the root and the origin of a repository, and the names that lead to it. */
import { type Reader, type Row, text } from '../../store/store.ts'
import { sha256 } from '../../system/text.ts'
import { comparedOrigin } from './origin.ts'

/** The project of whoever is in no repository. */
export const noRepository = 'default'

/** What older databases call the project of the repository that they were made for. */
export const ofOldDatabase = ''

/** Where somebody stands: which repository, by all that it can be known by. */
export interface Whereabouts {
  /** Tells a folder of this machine from one that has the same path elsewhere. */
  machine: string
  /** The root of the main worktree. */
  root: string
  /** In its normal form; a path where it is a folder of this machine. */
  origin?: string | undefined
  /** The name of the root. */
  folder: string
  /** What its own file wants its project to be called: anybody may have written that. */
  wished?: string | undefined
}

export const keyOfRoot = async (reader: Reader, where: Whereabouts) =>
  keyIn(
    await reader.all(
      'SELECT project FROM project_roots WHERE machine = ? AND root_hash = ?',
      ...[where.machine, rootHash(where)],
    ),
  )

export const keyOfOrigin = async (reader: Reader, where: Whereabouts) =>
  where.origin === undefined
    ? undefined
    : keyIn(
        await reader.all(
          'SELECT project FROM project_origins WHERE origin_hash = ?',
          originHash(where),
        ),
      )

export const keyOfName = async (reader: Reader, name: string) =>
  keyIn(await reader.all('SELECT project FROM project_names WHERE name = ?', name))

/** Of a project that holds something. */
export const keyCalled = async (reader: Reader, name: string) =>
  (await keyOfName(reader, name)) ?? ((await hasRows(reader, name)) ? name : undefined)

export async function nameOfKey(reader: Reader, key: string): Promise<string> {
  const [row] = await reader.all('SELECT name FROM repositories WHERE project = ?', key)
  return row ? text(row.name) : usualName(key)
}

const keyIn = ([row]: Row[]): string | undefined => row && text(row.project)

/** By its root, which keeps its project whatever its origin becomes; else by its origin. */
export const knownKeyAt = async (reader: Reader, where: Whereabouts): Promise<string | undefined> =>
  (await keyOfRoot(reader, where)) ?? keyOfOrigin(reader, where)

/** A path is one repository on this machine, and another elsewhere. */
export function originHash({ origin: given = '', machine, wished }: Whereabouts): string {
  const origin = comparedOrigin(given)
  return sha256(asWished(origin.startsWith('/') ? `${machine} ${origin}` : origin, wished))
}

export const rootHash = ({ root, wished }: Whereabouts): string => sha256(asWished(root, wished))

/** Beside what holds without the wish, so that it goes with the file that has it. */
const asWished = (text: string, wished: string | undefined): string =>
  wished === undefined ? text : `${text}\n${wished}`

export const hasRows = async (reader: Reader, key: string): Promise<boolean> =>
  (await reader.all('SELECT project FROM projects WHERE project = ?', key)).length > 0

/** Of one that has no other. */
export const usualName = (key: string): string => (key === ofOldDatabase ? noRepository : key)
