/** Tells a failure of the file system in words that say what to do. */
import { AgentMailError } from '../errors.ts'

export function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStorageError(error)
  }
}

export function asStorageError(cause: unknown): AgentMailError {
  if (AgentMailError.is(cause)) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : 'internal error'
  return new AgentMailError(
    'storage',
    `the post office could not be read or written (${code})`,
    'Check the .agentmail folder, its permissions and the free space, then try again.',
    { cause },
  )
}
