/** A repository in which sessions of coding clients work outside tmux, and tell of it by their hooks. */
import type { Env } from '../agentmail.ts'
import { openPlace, openStdio, type Place, type Way } from '../coordination/coordination.ts'
import type { LineClient } from '../mcp/line-client.ts'

export interface SessionPlace extends Place {
  /** What the hook of the session s1 answers. */
  hook(event: string, more?: object, client?: string): Promise<string>
}

export async function sessionPlace(way: Way, env: Env = {}): Promise<SessionPlace> {
  const place = await openPlace(way, { AGENTMAIL_HOOK_MS: '20000', ...env })
  const hook = async (event: string, more: object = {}, client = 'claude') => {
    const input = { session_id: 's1', cwd: place.repository, hook_event_name: event, ...more }
    const { stdout } = await place.run(['hook', client], { input: JSON.stringify(input) })
    return stdout
  }
  return { ...place, hook }
}

/** The server of coordination that a session has started. */
export const connectedTo = (place: Place, env: Env): Promise<LineClient> =>
  openStdio(place, { env })
