/** One thing that happened, in a line. */
import type { JSX } from 'preact'
import type { JournalView } from '../../person/shapes.ts'
import { addressOfView } from '../state/route.ts'
import { AgentLink, FileLink } from './frame.tsx'
import { clock, Words } from './words.tsx'

export function JournalLine({ entry }: { entry: JournalView }): JSX.Element {
  const { project, at, agent, event, file, message, text } = entry
  return (
    <li>
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {clock(at)}
      </time>{' '}
      <AgentLink name={agent} of={project} /> {event}{' '}
      {file !== null && <FileLink path={file} of={project} />}
      {message && (
        <a href={addressOfView({ project, view: 'messages', id: String(message.id) })}>
          <Words text={`[${message.channel}] ${message.subject}`} />
        </a>
      )}
      {text !== null && (
        <span class="quiet">
          {' '}
          <Words text={text.length > 300 ? `${text.slice(0, 300)}…` : text} />
        </span>
      )}
    </li>
  )
}
