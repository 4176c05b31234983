/** A mail that answers an agent's: who asked, and one key that gives them what is on the screen, or first puts it there. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { post } from '../state/api.ts'
import { isSettling } from '../state/settling.ts'
import { decided } from '../state/toast.ts'
import { MailHead, ReceivedMail, useReceived } from './received.tsx'
import { Words } from './words.tsx'

export const AnswersAgent = ({ agent }: { agent: string }): JSX.Element => (
  <span class="kind">
    answers <Words text={agent} />
    ’s mail
  </span>
)

interface GiveBackProps {
  agent: string
  path: string
  /** Of the mail on the screen; null where it can be given to nobody, and the server says why. */
  sha256: string | null
  onDone?: (() => void) | undefined
  onStale(): Promise<void>
}

export function GiveBack({ agent, path, sha256, onDone, onStale }: GiveBackProps): JSX.Element {
  const [isBusy, setBusy] = useState(false)
  const give = async () => {
    if (isBusy || isSettling.value) return
    setBusy(true)
    const isDone = await decided(
      () => post('/delegate', { path, sha256, agent }),
      `Given to ${agent}.`,
      onStale,
    )
    setBusy(false)
    if (isDone) onDone?.()
  }
  return (
    <button
      type="button"
      class="main"
      data-key="d"
      aria-disabled={isBusy || isSettling.value}
      onClick={give}
    >
      Give to <Words text={agent} />
    </button>
  )
}

interface OpenToGiveProps {
  agent: string
  isOpen: boolean
  onToggle(): void
}

/** The key is that of the button below the mail once it is open. */
export const OpenToGive = ({ agent, isOpen, onToggle }: OpenToGiveProps): JSX.Element => (
  <button
    type="button"
    class={isOpen ? '' : 'main'}
    data-key={isOpen ? undefined : 'd'}
    aria-expanded={isOpen}
    onClick={onToggle}
  >
    Give to <Words text={agent} />…
  </button>
)

/** All of it is of one look, the agent too: a list around it may change by itself. */
export function ReadAndGive({ path, onDone }: Pick<GiveBackProps, 'path' | 'onDone'>): JSX.Element {
  const received = useReceived(path)
  const { mail, before, load } = received
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Whoever opened it by the key at the end of the screen has not seen it otherwise; what changed shows itself.
    if (mail && !before) place.current?.scrollIntoView({ block: 'nearest' })
  }, [mail])
  return (
    <div class="giving" ref={place}>
      <ReceivedMail received={received}>{mail && <MailHead mail={mail} />}</ReceivedMail>
      {mail && mail.asked_by !== null && (
        <div class="row actions">
          <GiveBack
            agent={mail.asked_by}
            path={path}
            sha256={mail.sha256}
            onDone={onDone}
            onStale={async () => {
              await load()
              onDone?.()
            }}
          />
        </div>
      )}
    </div>
  )
}
