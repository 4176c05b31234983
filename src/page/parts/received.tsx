/** A mail that came in and waits, loaded and shown as an agent would be given it: the hash is of just what is on the screen. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ReceivedView } from '../../person/mail-shapes.ts'
import { get } from '../state/api.ts'
import { settle } from '../state/settling.ts'
import { Changes } from './changes.tsx'
import { Fault, Loading } from './frame.tsx'
import { dated, LongText, Words } from './words.tsx'

interface Received {
  mail: ReceivedView | undefined
  /** What was shown before, where it was another. */
  before: ReceivedView | undefined
  error: string | undefined
  load(): Promise<void>
}

export function useReceived(path: string): Received {
  const [shown, setShown] = useState<Pick<Received, 'mail' | 'before'> | undefined>(undefined)
  const [error, setError] = useState<string | undefined>(undefined)
  const load = async () => {
    try {
      const mail = await get<ReceivedView>('/received', { path })
      // By the hash: versions that differ stand in fences that are others each time.
      setShown((old) => ({
        mail,
        before: old?.mail?.sha256 === mail.sha256 ? undefined : old?.mail,
      }))
      setError(undefined)
      settle()
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason))
    }
  }
  useEffect(() => void load(), [path])
  return { mail: shown?.mail, before: shown?.before, error, load }
}

/** @param children what stands above its text, where the card does not say it. */
export function ReceivedMail({
  received: { mail, before, error, load },
  children,
}: {
  received: Received
  children?: ComponentChildren
}): JSX.Element {
  return (
    <>
      <Fault text={error} retry={load} />
      {!mail && error === undefined && <Loading />}
      {mail && before && (
        <Changes title="What changed since you looked" before={before} after={mail} isNews />
      )}
      {mail && (
        <aside class="outside" aria-label="The mail">
          <p class="kind">Text from outside</p>
          {children}
          <LongText text={mail.text} label="Text from outside" />
        </aside>
      )}
    </>
  )
}

export function MailHead({
  mail: { from, subject, date },
}: {
  mail: Pick<ReceivedView, 'from' | 'subject' | 'date'>
}): JSX.Element {
  return (
    <dl class="fields">
      <dt>From</dt>
      <dd>
        <Words text={from} />
      </dd>
      <dt>Subject</dt>
      <dd>
        <Words text={subject} />
      </dd>
      <dt>Date</dt>
      <dd>
        <Words text={dated(date)} />
      </dd>
    </dl>
  )
}
