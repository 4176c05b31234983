/** Releases what an agent holds: asked for by name, and the holder is told. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ClaimView } from '../../person/shapes.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Ago, Words } from '../parts/words.tsx'
import { post } from '../state/api.ts'
import { attempt } from '../state/toast.ts'

export function ReleaseButton({ claim }: { claim: ClaimView }): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const { project, path, agent, agent_id, since } = claim
  const release = async () => {
    setAsking(false)
    await attempt(
      () => post('/release', { project, path, agent_id }),
      `Released. ${agent} has been told.`,
    )
  }
  return (
    <>
      <button type="button" class="small" onClick={() => setAsking(true)}>
        Release…
      </button>
      {isAsking && (
        <Dialog title={`Release what ${agent} holds?`} onClose={() => setAsking(false)}>
          <p>
            <strong>
              <Words text={agent} />
            </strong>{' '}
            has held{' '}
            <span class="path">
              <Words text={path} />
            </span>{' '}
            for <Ago at={since} after="" />. It will be told by a message that you released it, and
            must claim it again before it edits it.
          </p>
          <div class="row">
            <button type="button" class="danger" onClick={release}>
              Release it from <Words text={agent} />
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
