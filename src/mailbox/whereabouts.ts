/** Who is at which tmux pane, under which name, and what a sender should know about that. */

import { systemClock } from '../system/clock.ts'
import type { PostOffice } from './post-office.ts'
import { panesUsed, type Recipient, type UsedPane } from './recipient.ts'
import { longSilenceMs } from './sent/silence.ts'
import type { Pane, TmuxView } from './tmux.ts'

/** Whether this is a pane that an agent works from. */
export const isAt = (recipient: Recipient, pane: Pane): boolean =>
  placeIn(recipient, pane) !== undefined

/** What is known of an agent at a pane. Whoever has its name from the environment is where it was last, and nowhere else. */
function placeIn(recipient: Recipient, pane: Pane): UsedPane | undefined {
  const isLast = (place: UsedPane) =>
    place.pane === recipient.pane && place.server === recipient.server
  return panesUsed(recipient).find(
    (place) => isPlace(place, pane) && (place.source !== 'environment' || isLast(place)),
  )
}

const isPlace = (place: UsedPane, { id, server }: Pane): boolean =>
  place.pane === id && place.server === server

/** What a pane is called by whoever has no AGENTMAIL_AGENT there. */
export const nameOfPane = ({ given, window }: Pane): string => given ?? window

/**
 * Who is at a pane. tmux knows nothing of AGENTMAIL_AGENT: agents of that kind are where they have
 * registered from, and the pane's own name stands beside them only if somebody has used that too.
 * A window whose name is empty has none.
 */
function namesAt(pane: Pane, known: Recipient[]): string[] {
  const own = nameOfPane(pane)
  const here = known.flatMap((recipient) => {
    const place = placeIn(recipient, pane)
    return place ? [{ name: recipient.name, source: place.source }] : []
  })
  const named = here.filter(({ source }) => source === 'environment').map(({ name }) => name)
  const isUsed = here.some(({ name, source }) => name === own && source !== 'environment')
  const isNamed = own.trim() !== '' && (named.length === 0 || isUsed)
  return isNamed ? [own, ...named] : named
}

/** The panes that an agent may be nudged in: those of a session that bear its name, and one elsewhere that it registered from. */
export const panesOf = (recipient: Recipient, session: string, held: NamesHeld): Pane[] =>
  (held.get(recipient.name) ?? []).filter(
    (pane) => pane.session === session || isAt(recipient, pane),
  )

/** Who can be written to: the windows of the session in their order, then who has registered here from elsewhere. */
export function namesInView({ pane, panes }: TmuxView, known: Recipient[]): string[] {
  const here = panes.filter(({ session }) => session === pane.session)
  const living = namesHeld(panes, known)
  const others = known.filter(
    (recipient) =>
      recipient.pane === null || living.get(recipient.name)?.some((at) => isAt(recipient, at)),
  )
  return [...here.flatMap((at) => namesAt(at, known)), ...others.map(({ name }) => name)]
}

/** The names that panes have, and which. */
type NamesHeld = Map<string, Pane[]>

export function namesHeld(panes: Pane[], known: Recipient[]): NamesHeld {
  const held: NamesHeld = new Map()
  for (const pane of panes) {
    for (const name of namesAt(pane, known)) held.set(name, [...(held.get(name) ?? []), pane])
  }
  return held
}

/** Whether the pane of an agent is gone, as far as this tmux server can tell. */
export function isGone(recipient: Recipient, panes: Pane[], held: NamesHeld): boolean {
  const { name, pane, server, source } = recipient
  if (pane === null || held.has(name)) return false
  if (source !== 'environment' && source !== 'given') return true
  const isOurs = panes.some((one) => one.server === server)
  return isOurs && !panes.some((one) => one.id === pane)
}

/** Notes who is called otherwise in its pane now, for those who cannot ask tmux. One that has closed may come back. */
export async function noteGone(
  office: PostOffice,
  panes: Pane[],
  known = office.recipients.list(),
): Promise<void> {
  const held = namesHeld(panes, known)
  const isCalledOtherwise = (name: string, place: UsedPane) =>
    place.source !== 'environment' &&
    panes.some((pane) => isPlace(place, pane) && nameOfPane(pane) !== name)
  await office.recipients.leave(isCalledOtherwise, (name) => held.has(name))
}

/** Whether nobody has this name any more, as far as that was noted. */
export const hasLeft = ({ left_at }: Recipient): boolean => left_at !== undefined

/** Something about a recipient that a sender would not expect. */
export interface Oddity {
  name: string
  problem: string
  advice: string
}

/** What is odd about the recipients of a session, or about one of them. */
export async function oddities(
  view: TmuxView,
  known: Recipient[],
  office: PostOffice,
  only?: string,
): Promise<Oddity[]> {
  const ignored = office.ignored()
  const isHere = (pane: Pane) => pane.session === view.pane.session
  const isKnown = (recipient: Recipient, pane: Pane) =>
    isAt(recipient, pane) || wasAt(recipient, pane)
  const panes = view.panes.filter(
    (pane) => !pane.dead && (isHere(pane) || known.some((recipient) => isKnown(recipient, pane))),
  )
  const asked = new Map<string, Promise<boolean>>()
  const isFoundFrom = (folder: string) => {
    const answer = asked.get(folder) ?? office.isFoundFrom(folder)
    asked.set(folder, answer)
    return answer
  }
  const found: Oddity[] = []
  for (const [name, held] of namesHeld(panes, known)) {
    if (ignored.has(name) || (only !== undefined && name !== only)) continue
    const recipient = known.find((one) => one.name === name)
    const elsewhere = panes.filter((pane) => recipient && wasAt(recipient, pane))
    const places = [...new Set([...held, ...elsewhere])]
    // The panes of a window share its name as long as none is given to them.
    const windows = new Set(places.map(({ id, given, windowId }) => (given ? id : windowId)))
    if (windows.size > 1) found.push(shared(name, windows.size))
    const others = places.filter((pane) => isHere(pane) && pane.id !== view.pane.id)
    for (const folder of new Set(others.map((pane) => pane.folder))) {
      if (!(await isFoundFrom(folder))) found.push(outside(name, folder))
    }
  }
  return found
}

/** Whether an agent with a name from the environment was at a pane lately: of that tmux knows nothing. */
function wasAt(recipient: Recipient, pane: Pane): boolean {
  const since = systemClock.now() - longSilenceMs
  return panesUsed(recipient).some(
    (place) =>
      place.source === 'environment' && isPlace(place, pane) && Date.parse(place.at) >= since,
  )
}

const shared = (name: string, count: number): Oddity => ({
  name,
  problem: `${count} windows or panes have the name ${JSON.stringify(name)} and share one mailbox: whoever reads first gets the mail`,
  advice: 'Give each a name of its own there: agentmail name <name>',
})

const outside = (name: string, folder: string): Oddity => ({
  name,
  problem: `the window ${JSON.stringify(name)} stands outside this repository, in ${folder}: mail for it waits here until somebody reads it in this repository`,
  advice: 'Go into the repository there, or put its name into .agentmailignore.',
})
