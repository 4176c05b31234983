/** Who proposes a draft: the agent, pane or window that this process belongs to, which no call can change. */
import type { Config } from '../../config.ts'
import { hasName, whoAmI } from '../../mailbox/agent.ts'

/** Nothing where nobody knows; a draft never waits for it. */
export async function proposerOf(config: Config): Promise<string | undefined> {
  const chosen = config.text('agent')
  if (chosen !== undefined || !hasName(config)) return chosen
  try {
    return (await whoAmI(config, { isStaying: true, isQuiet: true })).name
  } catch {
    return undefined
  }
}
