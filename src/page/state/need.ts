/** Where each thing that needs the person is shown and settled. */
import type { NeedView, SearchView } from '../../person/shapes.ts'
import { addressOfView, type ViewName } from './route.ts'

export const needWords: Record<NeedView['kind'], string> = {
  draft: 'Draft',
  delegation: 'Delegation',
  mail: 'Mail',
  message: 'Message',
  mailbox: 'Mailbox mail',
  unknown_send: 'Sent or not?',
  conflict: 'Conflict',
  waits: 'Waits for you',
  silent: 'Fell silent',
}

const placeOfNeed: Record<NeedView['kind'], ViewName> = {
  draft: 'approvals',
  delegation: 'approvals',
  mail: 'approvals',
  message: 'messages',
  mailbox: 'messages',
  unknown_send: 'mail',
  conflict: 'files',
  waits: 'agents',
  silent: 'agents',
}

export const addressOfNeed = ({ kind, project, target }: NeedView): string =>
  addressOfView({ project, view: placeOfNeed[kind], id: target })

const placeOfResult: Record<SearchView['kind'], ViewName> = {
  message: 'messages',
  mailbox: 'messages',
  change: 'files',
  agent: 'agents',
  file: 'files',
  draft: 'approvals',
}

export const addressOfResult = ({ kind, project, target }: SearchView): string =>
  addressOfView({ project, view: placeOfResult[kind], id: target })
