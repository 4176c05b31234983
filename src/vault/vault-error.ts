/** Tells a failure of the file system in words that say what to do. */
import { AgentMailError, type ErrorCode } from '../errors.ts'

type Words = [code: ErrorCode, message: string, next: string]

const notPermitted: Words = [
  'permission_denied',
  'the system does not permit it',
  'Look at the permissions of the file and its folder.',
]
const gone: Words = [
  'not_found',
  'it is not there any more',
  'List the notes to see what there is.',
]

const words: Record<string, Words> = {
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: [
    'permission_denied',
    'the vault is on a read-only file system',
    'It can only be read there.',
  ],
  ENOENT: gone,
  ENOTDIR: gone,
  ELOOP: [
    'permission_denied',
    'a link is not followed',
    'Use the note at its own place in the vault.',
  ],
  EISDIR: [
    'permission_denied',
    'it is a folder, not a note',
    'Move the folder away, or choose another path.',
  ],
  ENXIO: ['permission_denied', 'it is not a regular file', 'Choose another path.'],
  EXDEV: [
    'invalid_request',
    'it is on another disk than its destination',
    'A note is moved within one disk only; write it anew there.',
  ],
  ENAMETOOLONG: ['invalid_request', 'the name is too long for the file system', 'Shorten it.'],
  ENOSPC: ['storage', 'the disk is full', 'Nothing was changed. Make room and try again.'],
  EFBIG: [
    'storage',
    'it is larger than this process may write',
    'Nothing was changed. Raise the limit on the size of files (ulimit -f) and try again.',
  ],
  EDQUOT: [
    'storage',
    'your share of the disk is used up',
    'Nothing was changed. Make room and try again.',
  ],
}

export async function withVaultErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw vaultError(path, error)
  }
}

/** What goes wrong with the note at `path`. The system's own text names places of the machine, so it is not passed on. */
export function vaultError(path: string, cause: unknown): unknown {
  if (AgentMailError.is(cause) || !(cause instanceof Error) || !('code' in cause)) return cause
  const code = String(cause.code)
  const [kind, message, next] = words[code] ?? [
    'storage',
    `it could not be read or written (${code})`,
    'Look at the vault and its disk, then try again.',
  ]
  return new AgentMailError(kind, `${path}: ${message}`, next, { cause })
}
