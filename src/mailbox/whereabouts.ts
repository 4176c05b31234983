/** Who is at which tmux pane, under which name, and what a sender should know about that. */
import type { PostOffice } from './post-office.ts'
import type { Recipient } from './recipients.ts'
import type { Pane, TmuxView } from './tmux.ts'

/** Whether this is the pane that an agent has last worked from. */
export const isAt = ({ pane, server }: Recipient, place: Pane): boolean =>
  pane === place.id && server === place.server

/** What a pane is called by whoever has no AGENTMAIL_AGENT there. */
export const nameOfPane = ({ given, window }: Pane): string => given ?? window

/**
 * Who is at a pane. tmux knows nothing of AGENTMAIL_AGENT: agents of that kind are where they have
 * registered from, and the pane's own name stands beside them only if somebody has used that too.
 */
function namesAt(pane: Pane, known: Recipient[]): string[] {
  const own = nameOfPane(pane)
  const here = known.filter((recipient) => isAt(recipient, pane))
  const named = here.filter(({ source }) => source === 'environment').map(({ name }) => name)
  const isUsed = here.some(({ name, source }) => name === own && source !== 'environment')
  return named.length === 0 || isUsed ? [own, ...named] : named
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
  const panes = view.panes.filter(
    (pane) => !pane.dead && (isHere(pane) || known.some((recipient) => isAt(recipient, pane))),
  )
  const asked = new Map<string, Promise<boolean>>()
  const isFoundFrom = (folder: string) => {
    const answer = asked.get(folder) ?? office.isFoundFrom(folder)
    asked.set(folder, answer)
    return answer
  }
  const found: Oddity[] = []
  for (const [name, places] of namesHeld(panes, known)) {
    if (ignored.has(name) || (only !== undefined && name !== only)) continue
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
