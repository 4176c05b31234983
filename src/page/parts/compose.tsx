/** Where one writes as the person: to a name, to a channel, or in answer to something. */
import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { SentView } from '../../person/shapes.ts'
import { boot, post } from '../state/api.ts'
import { attempt, say } from '../state/toast.ts'
import { useTyped } from '../state/typed.ts'
import { takeFocus } from './focus.ts'
import { Words } from './words.tsx'

interface ComposeProps {
  label: string
  /** What it is about: what was typed is kept for that. */
  about: string
  /** Asks the server to send it. */
  send(text: string): Promise<SentView>
  onSent?(): void
  /** The key that comes here. */
  hasFocus?: boolean
  isShort?: boolean
}

const mostBytes = 65_536

export function Compose({
  label,
  about,
  send,
  onSent,
  hasFocus = false,
  isShort = true,
}: ComposeProps): JSX.Element {
  const [text, setText, forget] = useTyped(about)
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const size = new TextEncoder().encode(text).length
  const submit = async () => {
    if (text.trim() === '' || isBusy || size > mostBytes) return
    setBusy(true)
    const isSent = await attempt(async () => {
      const { warning } = await send(text)
      say(warning === null ? 'Sent.' : `Sent. ${warning}`)
    })
    setBusy(false)
    if (!isSent) return
    forget()
    onSent?.()
  }
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label for={id}>
        <Words text={label} /> <span class="quiet">as {boot.value?.person ?? 'the person'}</span>
      </label>
      <textarea
        id={id}
        rows={isShort ? 2 : 4}
        value={text}
        {...(hasFocus && { ref: takeFocus })}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
        }}
      />
      <div class="row">
        <button type="submit" class="main" disabled={text.trim() === '' || size > mostBytes}>
          Send
        </button>
        <span class="quiet">
          {size > mostBytes ? 'A message holds at most 64 KB.' : 'Ctrl-Enter sends'}
        </span>
      </div>
    </form>
  )
}

export const sendTo = (project: string, channel: string) => (text: string) =>
  post<SentView>('/send', { project, channel, text })

export const answer = (project: string, id: string) => (text: string) =>
  post<SentView>('/reply', { project, id, text })
