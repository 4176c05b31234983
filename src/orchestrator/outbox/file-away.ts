/** Moves a note to Done/, under a name that is free. */
import { AgentMailError } from '../../errors.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'

const mostNames = 100

/** Gives where it is now; nothing where it was not there any more. */
export async function fileAway(
  { notes }: { notes: VaultNotes },
  path: string,
  choose: (destination: string) => void = () => {},
): Promise<string | undefined> {
  const name = nameOf(path)
  for (let count = 1; count <= mostNames; count++) {
    const destination = `Done/${count === 1 ? name : name.replace(/\.md$/, `-${count}.md`)}`
    choose(destination)
    try {
      await notes.move(path, destination)
      return destination
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      if (error.code === 'not_found') return undefined
      if (error.code !== 'conflict') throw error
    }
  }
  throw new AgentMailError('conflict', `Done/ has too many notes named ${name}`)
}
