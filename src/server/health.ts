/** GET /health: whether the server and its database are well. */
import type { ServerResponse } from 'node:http'
import type { Coordination } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { rfc3339, sleep } from '../system/clock.ts'
import { version } from '../version.ts'
import { sendJson } from './http-exchange.ts'

/** A database that takes longer to say anything is told as unavailable. */
const healthMs = 2_000

export async function sendHealth(
  response: ServerResponse,
  about: {
    coordination: Coordination
    instance: string
    staleSeconds: number
    uptimeSeconds(): number
  },
): Promise<void> {
  const { coordination } = about
  const { downSince } = coordination
  // One that is known to be gone is not waited for.
  const state = downSince === undefined ? await stateOf(coordination) : unavailable
  sendJson(
    response,
    state.status === 'ok' ? 200 : 503,
    {
      ...state,
      version,
      database: coordination.engine,
      ...(downSince === undefined ? {} : { database_down_since: rfc3339(downSince) }),
      uptime_seconds: Math.floor(about.uptimeSeconds()),
      stale_seconds: about.staleSeconds,
      instance: about.instance,
    },
    { 'cache-control': 'no-store' },
  )
}

interface State {
  status: 'ok' | 'database_unavailable' | 'database_lost'
  /** What happened, and what to do about it. */
  message?: string
}

const unavailable: State = { status: 'database_unavailable' }

const stateOf = (coordination: Coordination): Promise<State> =>
  Promise.race([
    coordination.check().then(
      (): State => ({ status: 'ok' }),
      (error: unknown): State =>
        AgentMailError.is(error, 'database_lost')
          ? { status: 'database_lost', message: error.text }
          : unavailable,
    ),
    sleep(healthMs).then(() => unavailable),
  ])
