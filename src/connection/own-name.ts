/** Who this process is where neither tmux nor AGENTMAIL_AGENT tells: a look at the environment, and more is loaded only for a session. */
import type { Config } from '../config.ts'
import { hasName } from '../mailbox/agent.ts'

/** The variables by which coding clients tell their session; where one has started another, the first is more likely the inner. */
export const sessionSettings = {
  codex: 'codexSession',
  copilot: 'copilotSession',
  claude: 'claudeSession',
} as const

export const isInSession = (config: Config): boolean =>
  Object.values(sessionSettings).some((setting) => config.text(setting) !== undefined)

/**
 * The settings, with the name of the session's agent where there is no other: outside tmux that is
 * who reads and writes here.
 * @param waitMs how long a session is waited for that has only just begun.
 */
export async function withOwnName(config: Config, waitMs = 0): Promise<Config> {
  if (hasName(config) || !isInSession(config)) return config
  const { agentAround } = await import('./own-session.ts')
  const agent = await agentAround(config, waitMs)
  return agent ? config.with({ AGENTMAIL_AGENT: agent.name }) : config
}
