/** Where agents are: the same text for whoever is in one place, another elsewhere. */
import type { Spot } from '../mailbox/recipient-entries.ts'

/** @param machine its id. */
export const placeAt = (machine: string, { pane, server }: Spot): string =>
  pane === null ? `outside ${machine}` : `tmux ${machine} ${server ?? 0} ${pane}`

/** The pane of a place on this machine, or none. */
export function spotAt(place: string | null, machine: string): Spot {
  const [, on, server, pane] = tmuxPlace.exec(place ?? '') ?? []
  return pane !== undefined && on === machine ? { pane, server: Number(server) } : { pane: null }
}

const tmuxPlace = /^tmux (\S+) (\d+) (%\d+)$/

/** For people: `tmux %5`, `outside tmux`, both perhaps on another machine; `registered` where nobody told. */
export function whereIs(place: string | null, machine: string): string {
  const [, tmux, on, pane, outside] =
    /^(?:(tmux) (\S+) \d+ (%\d+)|outside (\S+))$/.exec(place ?? '') ?? []
  const where = tmux ? `tmux ${pane}` : outside ? 'outside tmux' : 'registered'
  const isHere = where === 'registered' || (on ?? outside) === machine
  return isHere ? where : `${where} on another machine`
}
