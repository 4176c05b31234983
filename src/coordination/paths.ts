/** The normal form of a path that an agent names: relative to its project, the same for every spelling. */
import { AgentMailError } from '../errors.ts'

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

const outside = (spelling: string) =>
  new AgentMailError(
    'invalid_request',
    `path "${spelling.slice(0, 200)}" is outside the project`,
    'Give a path inside it, relative to its root. Nothing of this call was done.',
  )
