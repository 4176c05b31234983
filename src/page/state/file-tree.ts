/** Claims as a tree of folders, and the rows of it that are unfolded. */
import type { ClaimView } from '../../person/shapes.ts'

export interface FileRow {
  key: string
  project: string
  depth: number
  name: string
  /** Of a folder how many claims are below it; a claim itself otherwise. */
  claims: number
  isOpen: boolean
  claim?: ClaimView
}

interface Folder {
  folders: Map<string, Folder>
  claims: ClaimView[]
  count: number
}

const emptyFolder = (): Folder => ({ folders: new Map(), claims: [], count: 0 })

/** So few are shown unfolded. */
const unfoldedAt = 40

/**
 * @param unfolded the keys of folders that somebody opened or closed, with which it was.
 */
export function fileRows(claims: ClaimView[], unfolded: ReadonlyMap<string, boolean>): FileRow[] {
  const projects = new Map<string, Folder>()
  for (const claim of claims) {
    const top = projects.get(claim.project) ?? emptyFolder()
    projects.set(claim.project, top)
    let folder = top
    folder.count++
    for (const part of claim.path
      .replace(/\/?\*\*$/, '')
      .split('/')
      .slice(0, -1)) {
      const next = folder.folders.get(part) ?? emptyFolder()
      folder.folders.set(part, next)
      next.count++
      folder = next
    }
    folder.claims.push(claim)
  }
  const isFew = claims.length <= unfoldedAt
  const rows: FileRow[] = []
  const addFolder = (
    project: string,
    path: string,
    name: string,
    depth: number,
    folder: Folder,
  ) => {
    const key = `${project}\n${path}`
    const isOpen = unfolded.get(key) ?? (isFew || depth === 0)
    rows.push({ key, project, depth, name, claims: folder.count, isOpen })
    if (isOpen) addContent(project, path, depth + 1, folder)
  }
  const addContent = (project: string, path: string, depth: number, folder: Folder) => {
    for (const [name, below] of folder.folders) {
      // A folder with nothing but one folder in it is one row.
      let [label, inner, place] = [name, below, `${path}${name}/`]
      while (inner.claims.length === 0 && inner.folders.size === 1) {
        for (const [next, deeper] of inner.folders)
          [label, inner, place] = [`${label}/${next}`, deeper, `${place}${next}/`]
      }
      addFolder(project, place, `${label}/`, depth, inner)
    }
    for (const claim of folder.claims) {
      const name = claim.path.slice(path.length) || claim.path
      rows.push({
        key: `${project}\n${claim.path} ${claim.agent_id}`,
        project,
        depth,
        name,
        claims: 1,
        isOpen: false,
        claim,
      })
    }
  }
  for (const [project, top] of projects) {
    if (projects.size > 1) addFolder(project, '', project, 0, top)
    else addContent(project, '', 0, top)
  }
  return rows
}
