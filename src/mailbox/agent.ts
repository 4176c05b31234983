/** Who is calling: the tmux window this runs in, or the name that AGENTMAIL_AGENT gives. */
import type { Config } from '../config.ts'
import { notInTmux } from '../errors.ts'
import { checkName } from './names.ts'
import { type Asking, ownPane, viewFrom } from './tmux.ts'

export interface Agent {
  name: string
  /** Where it runs, `%5`; null outside tmux. */
  pane: string | null
  /** The names of the windows of its session, in their order; nothing outside tmux. */
  windows?: string[]
}

/** Whether there is a name to work under, told without asking tmux. */
export function hasName(config: Config): boolean {
  return ownPane(config) !== undefined || config.text('agent') !== undefined
}

/** Outside tmux and nameless is an error, and the first one to tell. */
export function checkHasName(config: Config): void {
  if (hasName(config)) return
  throw notInTmux('Outside tmux, set AGENTMAIL_AGENT=<name> to say who you are.')
}

export async function whoAmI(config: Config, asking: Asking = {}): Promise<Agent> {
  checkHasName(config)
  const pane = ownPane(config)
  if (!pane) {
    const name = config.text('agent') ?? ''
    checkName(name)
    return { name, pane: null }
  }
  const { name, windows } = await viewFrom(pane, asking)
  checkName(name)
  return { name, pane, windows: [...new Set(windows)] }
}
