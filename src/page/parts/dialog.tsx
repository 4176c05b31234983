/** A question before something that cannot be undone, or that wants a word: it keeps the focus, and Escape closes it. */
import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Words } from './words.tsx'

interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
  class?: string
}

export function Dialog({ title, onClose, children, class: name = '' }: DialogProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // At once: what is typed right after the key that opens it belongs there.
  useLayoutEffect(() => {
    const before = document.activeElement
    const shown = box.current
    shown?.showModal()
    return () => {
      // As long as it is open nothing else can have the focus.
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={box}
      class={name}
      aria-labelledby={heading}
      onCancel={onClose}
      // One that is gone says so later, when the next may be there.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <div class="dialog">
        <h2 id={heading}>
          <Words text={title} />
        </h2>
        {children}
      </div>
    </dialog>
  )
}
