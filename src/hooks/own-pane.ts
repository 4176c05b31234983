/** The tmux pane of the client that has started this process, with its name: tmux is asked, which takes a while. */
import type { Config } from '../config.ts'
import { ownView } from '../mailbox/tmux.ts'
import { nameOfPane } from '../mailbox/whereabouts.ts'
import type { Surroundings } from '../sessions/moment.ts'

export async function paneAround(config: Config): Promise<Surroundings['tmux']> {
  const pane = (await ownView(config))?.pane
  if (!pane) return undefined
  const { id, server, given } = pane
  return { pane: id, server, name: nameOfPane(pane), isGiven: given !== undefined }
}
