/** One question to the server that runs for the database, by a process that does nothing else: little is loaded for it. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { ifSoon } from '../system/time-limit.ts'
import { serverOf, serverToken } from './remote/server-address.ts'
import { ServerLine } from './remote/server-line.ts'

interface ServerQuestion {
  path: string
  /** JSON, which is posted. */
  body: string
  headers: Record<string, string>
  limitMs: number
}

export type AskServer = (
  question: ServerQuestion,
) => Promise<{ status: number; body: string } | undefined>

/**
 * Greets the server already, while the question is still being made. The question is answered whatever
 * its status; by nothing where there is no server, or none that has heard it. Throws
 * `server_unreachable` where one may have, and has not answered in time.
 *
 * @example await greetServer(new Config())({ path: '/hooks/claude', body: '{}', headers: {}, limitMs: 300 })
 */
export function greetServer(config: Config): AskServer {
  const found = serverOf(config)
  if (!found) return async () => undefined
  const line = new ServerLine({ ...found, token: serverToken(config) })
  const greeting = line.greet().then(
    () => true,
    () => false,
  )
  return async ({ path, body, headers, limitMs }) => {
    try {
      if (!(await ifSoon(limitMs, () => greeting))) return undefined
      const reply = await line.ask(path, { body, headers, limit: limitMs })
      return { status: reply.status, body: reply.body ?? '' }
    } catch (error) {
      if (AgentMailError.is(error) && error.details?.isUnasked === true) return undefined
      throw error
    } finally {
      line.close()
    }
  }
}
