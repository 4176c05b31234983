/** What a session's moments are dealt with on. */
import { resolve, sep } from 'node:path'
import { personOf } from '../addresses/person.ts'
import { placeAt } from '../addresses/place.ts'
import type { Config } from '../config.ts'
import type { Project } from '../coordination/coordination.ts'
import type { SessionCaller } from '../coordination/sessions/acting.ts'
import { checkName } from '../mailbox/names.ts'
import type { PostOffice } from '../mailbox/post-office.ts'
import { withoutLinks } from '../system/folder.ts'
import { unnameable } from '../system/text.ts'
import type { SessionHolds } from './holds.ts'
import type { SessionMoment, Surroundings } from './moment.ts'

export interface SessionDesk {
  /** Of the folder in which the session is. */
  project: Project
  /** Of the repository of that folder, if there is one. */
  office: PostOffice | undefined
  /** The root of the worktree in which the folder lies. */
  root: string | undefined
  config: Config
  /** The id of this machine. */
  machine: string
  /** What a server keeps of calls that take long. */
  holds?: SessionHolds
}

const longestName = 255
const longestSetting = 16
const longestHome = 1024
const longestPath = 4096
/** So many paths of one moment are looked at. */
const pathsAtOnce = 500

export function callerOf(
  { office, config, machine }: SessionDesk,
  { client, session, cwd, moment }: SessionMoment,
  around: Surroundings | undefined,
): SessionCaller {
  const person = personOf(config)
  const given = [around?.name?.trim(), around?.tmux?.name.trim()]
  const names = given.filter((name) => name !== undefined && isUsable(name) && name !== person)
  // Read only for a session that begins: most moments are not its first.
  const recipient = (name: string) => office?.recipients.list().find((one) => one.name === name)
  // A client that asks by itself tells nothing, and does so only once its session has started.
  const isTold = around !== undefined || moment.kind === 'session-start'
  const elsewhere = isTold ? placeAt(machine, { pane: null }) : null
  return {
    ...{ client, session, role: client, elsewhere },
    home: cwd.length <= longestHome ? cwd : null,
    names: [...new Set(names)].filter((name) => name !== undefined),
    isAvoided: (name) => name === person || typeof recipient(name)?.pane === 'string',
    place: around?.tmux ? placeAt(machine, around.tmux) : elsewhere,
    settings: around && { guard: setting(around.guard), auto_claim: setting(around.autoClaim) },
    mailboxOf: (name, isGiven) =>
      isGiven || around?.tmux !== undefined || recipient(name) !== undefined ? name : null,
  }
}

function isUsable(name: string): boolean {
  try {
    checkName(name)
    return name.length <= longestName && !unnameable.test(name)
  } catch {
    return false
  }
}

const setting = (value: string | undefined): string | null =>
  value?.trim().slice(0, longestSetting).toLowerCase() || null

/**
 * The normal forms of paths that a client named, with those of the files that links among them lead
 * to: either may be what another holds. What is outside the project is left out.
 * @param options.isWhole whether the project itself may be meant.
 */
export async function pathsInProject(
  desk: SessionDesk,
  cwd: string,
  paths: string[],
  { isWhole = false } = {},
): Promise<string[]> {
  const found = await spellingsOfAll(desk, cwd, paths)
  return found.flat().filter((path) => isWhole || path !== '.')
}

/** The same for files that were written: each once, by where it is. */
export async function writtenInProject(
  desk: SessionDesk,
  cwd: string,
  paths: string[],
): Promise<string[]> {
  const found = await spellingsOfAll(desk, cwd, paths)
  return found.flatMap((spellings) => spellings.slice(-1)).filter((path) => path !== '.')
}

async function spellingsOfAll(
  desk: SessionDesk,
  cwd: string,
  paths: string[],
): Promise<string[][]> {
  const found: string[][] = []
  for (const path of paths.slice(0, pathsAtOnce)) found.push(await spellingsOf(desk, cwd, path))
  return found
}

/** As it was named, and, where that is a link or below one, where that leads. */
async function spellingsOf(
  { project, root }: SessionDesk,
  cwd: string,
  path: string,
): Promise<string[]> {
  if (path === '' || path.length > longestPath || path.includes('\0')) return []
  const named = resolve(cwd, path)
  const places =
    root === undefined
      ? [[named, undefined]]
      : [
          [named, root],
          [await withoutLinks(named), await withoutLinks(root)],
        ]
  const found = new Set<string>()
  for (const [absolute = '', above] of places) {
    const isBelow = above !== undefined && `${absolute}${sep}`.startsWith(withEnd(above))
    const below = isBelow ? absolute.slice(above.length).replace(/^[/\\]+/, '') : absolute
    const normal = below === '' ? '.' : await project.sessions.normal(below)
    if (normal !== undefined) found.add(normal)
  }
  return [...found]
}

const withEnd = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep)
