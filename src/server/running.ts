/** What has the port that a server wants: AgentMail on the same database, on another, or another program. */
import type { Coordination } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import { exchange, NoReply } from '../system/http-request.ts'
import { asHost, isWildcard } from '../system/network.ts'
import { isRecord, jsonOf } from '../system/text.ts'

const answerMs = 2_000
const maxAnswerBytes = 1 << 20

/** The server that runs there for the same database; else the error says what is in the way. No token is given to whoever is there. */
export async function runningAt(
  { host, port }: { host: string; port: number },
  coordination: Coordination,
  error: unknown,
): Promise<{ url: string }> {
  if (!AgentMailError.is(error, 'port_in_use')) throw error
  const url = urlOf({ host, port })
  const health = await healthAt(url)
  if (typeof health.instance !== 'string' || typeof health.stale_seconds !== 'number') throw error
  if (health.database_proof === (await coordination.proof(health.instance))) return { url }
  throw anotherDatabase({ host, port }, url)
}

/** For a database that is not there yet, and so is nobody's: it is not made where somebody has the port. */
export async function checkNobodyAt(address: { host: string; port: number }): Promise<void> {
  const url = urlOf(address)
  const listener = await listenerAt(url)
  if (listener === 'nobody') return
  throw listener === 'other' ? portInUse(address) : anotherDatabase(address, url)
}

export const portInUse = ({ host, port }: { host: string; port: number }): AgentMailError =>
  new AgentMailError(
    'port_in_use',
    `port ${port} on ${host} is in use`,
    `Perhaps AgentMail runs already: look at http://${asHost(host)}:${port}/health. Else choose another port with --port; 0 takes a free one.`,
  )

const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${isWildcard(host) ? '127.0.0.1' : asHost(host)}:${port}`

const anotherDatabase = ({ host, port }: { host: string; port: number }, url: string) =>
  new AgentMailError(
    'port_in_use',
    `port ${port} on ${host} is in use by AgentMail with another database`,
    `Look at ${url}/ and stop it, name its database with --db, or choose another port with --port; 0 takes a free one.`,
  )

/** What a server says of itself; nothing where none answers in time. */
export async function healthAt(url: string): Promise<Record<string, unknown>> {
  try {
    return await askedAt(url)
  } catch {
    return {}
  }
}

async function askedAt(url: string): Promise<Record<string, unknown>> {
  const { body } = await exchange(
    { url: new URL(`${url}/health`), limit: answerMs },
    maxAnswerBytes,
  )
  const health = jsonOf(body ?? '')
  return isRecord(health) ? health : {}
}

/** Who listens at an address: AgentMail, by its instance, another program, or nobody. */
export async function listenerAt(url: string): Promise<{ instance: string } | 'other' | 'nobody'> {
  try {
    const { instance, stale_seconds } = await askedAt(url)
    const isOurs = typeof instance === 'string' && typeof stale_seconds === 'number'
    return isOurs ? { instance } : 'other'
  } catch (error) {
    return error instanceof NoReply && !error.mayHaveGoneOut ? 'nobody' : 'other'
  }
}
