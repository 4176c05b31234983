/** Where this process stands: in which project, or in which repository, by which one is found. */
import { realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { placeAt } from '../addresses/place.ts'
import type { Config } from '../config.ts'
import { knownKeyAt, noRepository, type Whereabouts } from '../coordination/projects/keys.ts'
import { normalOrigin, projectNameOf } from '../coordination/projects/origin.ts'
import { nameAt, type Projects } from '../coordination/projects/projects.ts'
import { AgentMailError } from '../errors.ts'
import { ownPane, serverPid } from '../mailbox/tmux.ts'
import { isProjectName } from '../names.ts'
import { databaseOf } from '../store/database.ts'
import { makeDataFolder } from '../store/usual-database.ts'
import { moveIfFree, removeFile, replaceFile, textOfFile } from '../system/files.ts'
import { repositoryAround } from '../system/git.ts'
import { dataFolder } from '../system/places.ts'
import { currentFolder } from '../system/post-office-folder.ts'
import { randomId, uuid } from '../system/random.ts'
import { sha256 } from '../system/text.ts'

export type Here = { project: string } | Whereabouts

/** By the settings, else by the repository around the current folder. */
export async function hereOf(config: Config): Promise<Here> {
  const { project, wished } = saidProject(config)
  return project === undefined ? hereAt(config, currentFolder(), wished) : { project }
}

/** What the person says is so; what a repository says of itself is a wish, which another that has the name goes before. */
export function saidProject(config: Config): { project?: string; wished?: string } {
  const project = checkedProject(config.withoutRepository().text('project'))
  if (project !== undefined) return { project }
  const wished = checkedProject(config.text('project'))
  return wished === undefined ? {} : { wished }
}

/** By the repository around a folder. */
export async function hereAt(config: Config, folder: string, wished?: string): Promise<Here> {
  const repository = await repositoryAround(folder)
  if (!repository) return { project: noRepository }
  const { root, origin } = repository
  return {
    machine: machineOf(config),
    root,
    origin: origin && normalOrigin(origin, (path) => withoutLinks(resolve(root, path))),
    folder: basename(root).replace(/(?<=.)\.git$/, ''), // as bare ones are called
    ...(wished !== undefined && { wished }),
  }
}

/** By which others tell an agent that is registered from here from one of its name elsewhere. */
export function ownPlace(config: Config): string {
  const [server] = serverPid(config)
  return placeAt(machineOf(config), { pane: ownPane(config) ?? null, server })
}

export function checkedProject(name: string | undefined): string | undefined {
  if (name === undefined || isProjectName(name)) return name
  throw new AgentMailError(
    'invalid_request',
    'the project must be a name of up to 100 characters without a slash',
    'Correct --project or AGENTMAIL_PROJECT.',
  )
}

/** The key of the project, on the database itself. */
export const keyAt = (projects: Projects, here: Here): Promise<string> =>
  'project' in here ? projects.keyOf(here.project) : projects.find(here)

/** The name that the project has or will get; nothing is changed. */
export async function foreseenName(config: Config, here: Here): Promise<string> {
  if ('project' in here) return here.project
  const view = await databaseOf(config, { create: false }).view()
  try {
    return view ? await nameAt(view, here) : projectNameOf(here)
  } finally {
    await view?.close()
  }
}

/** The key of a project that the database knows, by what it knows of this place. */
export async function knownKey(config: Config, here: Here): Promise<string | undefined> {
  if ('project' in here) return undefined
  const view = await databaseOf(config, { create: false }).view()
  try {
    return view && (await knownKeyAt(view, here))
  } finally {
    await view?.close()
  }
}

/** An id that was made up once, so that a machine that gets another name is still the same; where none can be kept, its name has to do. */
export function machineOf(config: Config): string {
  const file = join(dataFolder(config), 'machine')
  try {
    return keptId(file) ?? makeId(config, file)
  } catch {
    return sha256(hostname()).slice(0, 36)
  }
}

function makeId(config: Config, file: string): string {
  makeDataFolder(config)
  const temporary = `${file}.${randomId(8)}`
  replaceFile(temporary, [Buffer.from(`${uuid()}\n`)])
  if (!moveIfFree(temporary, file)) removeFile(temporary) // another process was faster
  const id = keptId(file)
  if (id === undefined) throw new TypeError('it holds no id')
  return id
}

const keptId = (file: string): string | undefined =>
  /^[\da-f-]{36}$/.exec(textOfFile(file).trim())?.[0]

function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
