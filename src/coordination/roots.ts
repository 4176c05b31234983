/** Where a project lies on this machine, so that an absolute path in it is known for what it is. */
import { isAbsolute, normalPath } from './paths.ts'

export class Roots {
  readonly #find: () => Promise<string[]>
  readonly #withoutLinks: (path: string) => string
  #known: string[] | undefined

  /**
   * @param find the folders of the project; asked again when a path is below none of them.
   * @param withoutLinks an absolute path without the links that lead to it.
   */
  constructor(find: () => Promise<string[]>, withoutLinks = (path: string) => path) {
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
      return spellings.map((spelling) => this.#throughLinks(spelling, current))
    }
  }

  #throughLinks(spelling: string, roots: string[]): string {
    try {
      return normalPath(spelling, roots)
    } catch (error) {
      if (!isAbsolute(spelling)) throw error
      return normalPath(this.#withoutLinks(spelling), roots, spelling)
    }
  }
}
