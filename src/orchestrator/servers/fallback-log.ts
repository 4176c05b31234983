/** The log of MCP servers that were out of reach: what was done without one, and what waits for it. */

import { AgentMailError } from '../../errors.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { appendLine } from '../../vault/log-file.ts'
import type { Vault } from '../../vault/vault.ts'
import { vaultError } from '../../vault/vault-error.ts'

const severities = { mcp_fallback: 'WARNING', mcp_escalation: 'ERROR' } as const
export type TroubleEvent = keyof typeof severities

export interface Trouble {
  server: string
  tool: string
  message: string
}

/** A log that cannot be written stops nobody's work. */
export function logTrouble(vault: Vault, event: TroubleEvent, trouble: Trouble): void {
  const { server, tool, message } = trouble
  const timestamp = rfc3339(systemClock.now())
  const severity = severities[event]
  const line = { event, timestamp, server, tool, error: 'mcp_unavailable', message, severity }
  const name = `mcp_fallback_${timestamp.slice(0, 10)}.jsonl`
  try {
    appendLine(vault, name, JSON.stringify(line))
  } catch (error) {
    const cause = vaultError(`Logs/${name}`, error)
    const reason = AgentMailError.is(cause) ? cause.message : 'the system did not let it'
    log(`${event} of ${server} (${tool}) could not be logged: ${reason}; it was: ${message}`)
  }
}
