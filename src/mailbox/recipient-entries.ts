/** The recipients of a post office one by one: where each is, how it is, and how much waits for it. */
import type { PostOffice } from './post-office.ts'
import type { Recipient, Registration, Status } from './recipient.ts'
import { lastSign } from './sent/silence.ts'
import type { TmuxView } from './tmux.ts'
import { isAt, namesHeld, namesInView } from './whereabouts.ts'

/** A tmux pane, or outside tmux. */
export type Spot = Pick<Registration, 'pane' | 'server'>

export interface RecipientEntry {
  name: string
  /** None where only its mailbox is known. */
  spots: Spot[]
  status?: Status | undefined
  /** When it said so. */
  statusAt?: string | undefined
  /** Unix time in milliseconds. */
  lastSign?: number | undefined
  unread: number
}

/** Those who can be written to, in the order of `agentmail recipients`. */
export function recipientEntries(office: PostOffice, view: TmuxView | undefined): RecipientEntry[] {
  const known = office.recipients.list()
  const byName = new Map(known.map((recipient) => [recipient.name, recipient]))
  return namesAndSpots(office, view, known).map(({ name, spots }) => {
    const recipient = byName.get(name)
    return {
      ...{ name, spots, status: recipient?.status, statusAt: recipient?.status_at },
      lastSign: recipient && lastSign(recipient),
      unread: office.mailbox(name).unreadIds().length,
    }
  })
}

/** The same, as far as their places go. */
export function namesAndSpots(
  office: PostOffice,
  view: TmuxView | undefined,
  known = office.recipients.list(),
): { name: string; spots: Spot[] }[] {
  const ignored = office.ignored()
  const names = view
    ? namesInView(view, known).filter((name) => !ignored.has(name) && name !== office.person)
    : office.recipientNames()
  const spots = spotsIn(view, known)
  return [...new Set(names)].map((name) => ({ name, spots: spots(name) }))
}

/** Gives the panes that bear a name, or from where it was last used; two windows of one name share its mailbox. */
export function spotsIn(view: TmuxView | undefined, known: Recipient[]): (name: string) => Spot[] {
  const held = namesHeld(view?.panes ?? [], known)
  const byName = new Map(known.map((recipient) => [recipient.name, recipient]))
  return (name) => {
    const recipient = byName.get(name)
    const near = (held.get(name) ?? []).filter(
      (pane) => pane.session === view?.pane.session || (recipient && isAt(recipient, pane)),
    )
    const spots: Spot[] = near.map(({ id, server }) => ({ pane: id, server }))
    const { pane, server } = recipient ?? {}
    const isUnseen = pane === null || spots.length === 0
    return pane !== undefined && isUnseen ? [...spots, { pane, server }] : spots
  }
}
