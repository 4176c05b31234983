/** The normal form of a path that an agent names: relative to its project, the same for every spelling, wherever the project lies. */
import { AgentMailError } from '../errors.ts'
import { isFolderBelow } from '../system/folder.ts'

/**
 * @param spelling how the caller wrote it, for the refusal.
 * @param roots where the project lies on this machine; an absolute path below one is made relative.
 * @example normalPath('.\\src//parser/../main.ts', []) // 'src/main.ts'
 */
export function normalPath(given: string, roots: readonly string[], spelling = given): string {
  const path = given.replaceAll('\\', '/')
  const segments = segmentsOf(path, spelling)
  const root = isAbsolute(path) ? rootOf(segments, roots) : []
  const normal = root && (segments.slice(root.length).join('/') || '.')
  if (normal === undefined || isAbsolute(normal)) throw outside(spelling) // as in x/../C:/y
  return normal
}

/** The root that a path is below; of several, the innermost. */
function rootOf(segments: string[], roots: readonly string[]): string[] | undefined {
  return roots
    .map((one) => segmentsOf(one.replaceAll('\\', '/'), one))
    .filter((one) => one.every((segment, index) => segments[index] === segment))
    .sort((a, b) => b.length - a.length)[0]
}

export const isAbsolute = (path: string): boolean => /^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)

/** Without empty ones and `.`, and with each `..` applied. */
function segmentsOf(path: string, spelling: string): string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) throw outside(spelling)
  }
  return segments
}

/** Where a project lies on this machine, so that an absolute path in it is known for what it is. */
export class Roots {
  readonly #find: () => Promise<string[]>
  readonly #withoutLinks: (path: string) => Promise<string>
  #known: string[] | undefined

  /**
   * @param find the folders of the project; asked again when a path is below none of them.
   * @param withoutLinks an absolute path without the links that lead to it.
   */
  constructor(find: () => Promise<string[]>, withoutLinks = async (path: string) => path) {
    this.#find = find
    this.#withoutLinks = withoutLinks
  }

  /** The normal form of each path; one that leaves the project is refused, and all with it. */
  async normal(spellings: string[]): Promise<string[]> {
    if (!spellings.some(isAbsolute)) return spellings.map((spelling) => normalPath(spelling, []))
    const known = this.#known ?? (await this.#find())
    try {
      this.#known = known
      return spellings.map((spelling) => normalPath(spelling, known))
    } catch {
      const current = await this.#find() // a worktree may be new
      this.#known = current
      return Promise.all(spellings.map((spelling) => this.#throughLinks(spelling, current)))
    }
  }

  /** Which of these normal paths are folders of the project here; where nothing is at a path, it is none. */
  async foldersAmong(paths: string[]): Promise<Set<string>> {
    if (paths.length === 0) return new Set()
    const folders = new Set<string>()
    const unseenIn = (roots: string[], some: string[]) =>
      some.filter((path) => {
        const root = roots.find((one) => isFolderBelow(one, path) !== undefined)
        if (root !== undefined && isFolderBelow(root, path)) folders.add(path)
        return root === undefined
      })
    const known = this.#known ?? (await this.#find())
    const unseen = unseenIn(known, paths)
    this.#known = unseen.length > 0 ? await this.#find() : known // a worktree may be new
    unseenIn(
      this.#known.filter((root) => !known.includes(root)),
      unseen,
    )
    return folders
  }

  async #throughLinks(spelling: string, roots: string[]): Promise<string> {
    try {
      return normalPath(spelling, roots)
    } catch (error) {
      if (!isAbsolute(spelling)) throw error
      return normalPath(await this.#withoutLinks(spelling), roots, spelling)
    }
  }
}

const outside = (spelling: string) =>
  new AgentMailError(
    'invalid_request',
    `path "${spelling.slice(0, 200)}" is outside the project`,
    'Give a path inside it, relative to its root. Nothing of this call was done.',
  )
