/** What can be claimed: a file, or a folder with all that is below it, now and later, which is written `src/**`. */
import { AgentMailError } from '../../errors.ts'
import { sha256 } from '../../system/text.ts'
import type { Desk } from '../desk.ts'

const maxCharacters = 1024
const wholeProject = '**'
const allBelow = '/**'

/** A place as the caller wrote it, and what it is compared by. */
export interface NamedPlace {
  spelling: string
  /** The normal form. */
  path: string
  hash: string
  isFolder: boolean
  /** Whether the spelling alone says that it is a folder; else what is on the disk does, which may change. */
  isSpelledFolder: boolean
  /** The path without what makes it a folder; `.` is the project. */
  base: string
}

export async function placesOf(desk: Desk, files: string[]): Promise<NamedPlace[]> {
  const spellings = [...new Set(files)]
  const normal = await desk.normalPaths(spellings.map((one) => (isRoot(one) ? '.' : one)))
  for (const spelling of spellings) checkStars(spelling)
  const named = normal.map((path, index) => {
    const spelling = spellings[index] ?? ''
    const base = baseOf(path)
    const isSpelledFolder = path !== base || base === '.' || /[/\\]$/.test(spelling)
    return { spelling, base, isSpelledFolder }
  })
  const open = named.filter((one) => !one.isSpelledFolder).map(({ base }) => base)
  const folders = await desk.foldersAmong(open)
  return named.map((one) => {
    const isFolder = one.isSpelledFolder || folders.has(one.base)
    const path = isFolder ? asFolder(one.base) : one.base
    if (path.length > maxCharacters && [...path].length > maxCharacters) throw tooLong()
    return { ...one, isFolder, path, hash: sha256(path) }
  })
}

/** `src` of `src/**`; what is no folder stays as it is. */
export function baseOf(path: string): string {
  if (path === wholeProject) return '.'
  return path.endsWith(allBelow) ? path.slice(0, -allBelow.length) : path
}

/** `src/**` of `src`. */
export const asFolder = (base: string): string => (base === '.' ? wholeProject : base + allBelow)

/** Which claims a caller may mean: what a bare name stands for may have become a folder since, or be none any more. */
export const pathsNamedBy = ({ base, path, isSpelledFolder }: NamedPlace): string[] =>
  isSpelledFolder ? [path] : [base, asFolder(base)]

/**
 * Every path by which a claim reaches this place: its own as a file and as a folder, and the folders above it.
 * @param paths to add them to; those above one that is there are there, too.
 */
export function pathsOver(base: string, paths = new Set<string>()): Set<string> {
  paths.add(base).add(asFolder(base))
  for (let end = base.lastIndexOf('/'); end > 0; end = base.lastIndexOf('/', end - 1)) {
    const folder = asFolder(base.slice(0, end))
    if (paths.has(folder)) return paths
    paths.add(folder)
  }
  return paths.add(wholeProject)
}

/** The root of the project, as somebody may write it who sees nothing else. */
const isRoot = (spelling: string): boolean => /^[/\\](?:\*\*)?$/.test(spelling)

function checkStars(spelling: string): void {
  const path = spelling.replaceAll('\\', '/').replace(/(^|\/)\*\*\/*$/, '$1')
  if (!path.includes('*')) return
  const folder = path.slice(0, path.lastIndexOf('/', path.indexOf('*')) + 1)
  throw new AgentMailError(
    'invalid_request',
    `only whole folders can be claimed: "${spelling.slice(0, 200)}"`,
    `Write ${folder === '' ? '. for the whole project' : `${folder.slice(0, 200)} for all below that folder`}, or name each file. Nothing of this call was done.`,
  )
}

const tooLong = () =>
  new AgentMailError(
    'invalid_request',
    `a path in files must be at most ${maxCharacters} characters`,
    'That of a folder counts with the /** at its end.',
  )
