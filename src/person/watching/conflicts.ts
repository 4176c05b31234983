/** Who was refused a file that another holds, for as long as it is so: in memory, and not for ever. */
import type { Refusals, RefusedClaim } from '../../coordination/claims/refused.ts'
import type { Project } from '../../coordination/coordination.ts'

const mostConflicts = 500
const keptUs = 3600 * 1_000_000

export class Conflicts {
  /** The one that was met longest ago first. */
  readonly #met = new Map<string, RefusedClaim>()

  constructor(refusals: Refusals) {
    refusals.listen((claim) => this.#add(claim))
  }

  /** Those of a project that are still so: the holder holds it as it did, and whoever wants it is there. */
  async in(project: Project, living: Set<string>): Promise<RefusedClaim[]> {
    const all = [...this.#met.values()].filter((claim) => claim.project === project.key)
    if (all.length === 0) return []
    const held = await project.overview.claimsAt(all.map(({ held_path }) => held_path))
    const since = project.overview.nowUs - keptUs
    const isSo = (claim: RefusedClaim) =>
      claim.at_us >= since &&
      living.has(claim.wanted_id) &&
      held.some(
        ({ path, agent_id, us }) =>
          path === claim.held_path && agent_id === claim.held_by && us === claim.claimed_us,
      )
    for (const claim of all) if (!isSo(claim)) this.#met.delete(keyOf(claim))
    return all.filter(isSo)
  }

  /** Who is refused again waits since the first time. */
  #add(claim: RefusedClaim): void {
    const key = keyOf(claim)
    const before = this.#met.get(key)
    const isSame = before?.held_by === claim.held_by && before.claimed_us === claim.claimed_us
    this.#met.delete(key)
    this.#met.set(key, isSame ? { ...claim, at_us: before.at_us } : claim)
    const [oldest] = this.#met.size > mostConflicts ? this.#met.keys() : []
    if (oldest !== undefined) this.#met.delete(oldest)
  }
}

export const conflictKey = ({ wanted_id, path, claimed_us }: RefusedClaim): string =>
  `conflict ${wanted_id} ${claimed_us} ${path}`

const keyOf = ({ project, wanted_id, path }: RefusedClaim): string =>
  JSON.stringify([project, wanted_id, path])
