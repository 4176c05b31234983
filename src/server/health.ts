/** GET /health: whether the server and its database are well; which they are, only to those who may call. */
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
    /** As people see it. */
    database: string
    instance: string
    staleSeconds: number
    uptimeSeconds(): number
  },
  mayCall: boolean,
): Promise<void> {
  const { coordination } = about
  const { downSince } = coordination
  // One that is known to be gone is not waited for.
  const state = downSince === undefined ? await stateOf(about, mayCall) : unavailable
  sendJson(
    response,
    state.status === 'ok' ? 200 : 503,
    {
      ...state,
      version,
      engine: coordination.engine,
      ...(mayCall ? { database: about.database } : {}),
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
  /** Their names. */
  projects?: string[]
  /** By which another server knows that it would be at work on the same database. */
  database_proof?: string
}

const unavailable: State = { status: 'database_unavailable' }

const stateOf = (
  { coordination, instance }: { coordination: Coordination; instance: string },
  mayCall: boolean,
): Promise<State> =>
  Promise.race([
    (async (): Promise<State> => {
      const database_proof = await coordination.proof(instance)
      if (!mayCall) return { status: 'ok', database_proof }
      const names = (await coordination.projects.names()).map(({ name }) => name)
      return { status: 'ok', database_proof, projects: names }
    })().catch(
      (error: unknown): State =>
        AgentMailError.is(error, 'database_lost')
          ? { status: 'database_lost', message: error.text }
          : unavailable,
    ),
    sleep(healthMs).then(() => unavailable),
  ])
