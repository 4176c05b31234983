/** What the coordination tools work with: a project, and whether the caller still waits for the answer. */
import type { Project } from '../../coordination/coordination.ts'

export interface CoordinationContext {
  project: Project
  signal?: AbortSignal | undefined
}
