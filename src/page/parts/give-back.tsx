/** A mail that answers an agent's: who asked, and one key that gives it to them. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { post } from '../state/api.ts'
import { isSettling } from '../state/settling.ts'
import { attempt } from '../state/toast.ts'
import { Words } from './words.tsx'

interface GiveBackProps {
  agent: string
  path: string
  /** Of its text, where that is on the screen. */
  sha256?: string | null
  onDone?(): void
}

export const AnswersAgent = ({ agent }: { agent: string }): JSX.Element => (
  <span class="kind">
    answers <Words text={agent} />
    ’s mail
  </span>
)

export function GiveBack({ agent, path, sha256 = null, onDone }: GiveBackProps): JSX.Element {
  const [isBusy, setBusy] = useState(false)
  const give = async () => {
    if (isBusy || isSettling.value) return
    setBusy(true)
    const isDone = await attempt(
      () => post('/delegate', { path, sha256, agent }),
      `Given to ${agent}.`,
    )
    setBusy(false)
    if (isDone) onDone?.()
  }
  return (
    <button type="button" class="main" data-key="d" aria-disabled={isBusy} onClick={give}>
      Give to <Words text={agent} />
    </button>
  )
}
