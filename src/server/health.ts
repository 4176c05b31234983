/** GET /health: whether the server and its database are well. */
import type { ServerResponse } from 'node:http'
import type { Coordination } from '../coordination/coordination.ts'
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
  const isWell = downSince === undefined && (await answers(coordination)) // one that is known to be gone is not waited for
  sendJson(
    response,
    isWell ? 200 : 503,
    {
      status: isWell ? 'ok' : 'database_unavailable',
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

const answers = (coordination: Coordination): Promise<boolean> =>
  Promise.race([
    coordination.check().then(
      () => true,
      () => false,
    ),
    sleep(healthMs).then(() => false),
  ])
