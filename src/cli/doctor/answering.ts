/** Whether what a client starts and calls answers: the server of its entry, and its hooks. */
import type { Config } from '../../config.ts'
import { serverToken } from '../../connection/remote/server-address.ts'
import { noRepository } from '../../coordination/projects/keys.ts'
import type { RunningServer } from '../../server/background.ts'
import { healthAt, listenerAt } from '../../server/running.ts'
import { exchange } from '../../system/http-request.ts'
import { redacted } from '../../system/redact.ts'
import { isRecord } from '../../system/text.ts'
import { version } from '../../version.ts'
import { askProgram } from './ask-program.ts'

/** Less than a check has, so that it is told which of them it was. */
const startMs = 4_000
const hookMs = 2_000

/** What is wrong, and what to do about it; `left`: nothing was asked. */
export type Tried = 'well' | 'left' | { says: string; advice: string }

/** Starts a program as a client does, asks what tools it has, and ends it. */
export async function tryProgram(
  config: Config,
  { command, env }: { command: string[]; env: Record<string, string> },
): Promise<Tried> {
  // Under the name of a project that is there always, so that to look makes none.
  const around = { ...config.environment(), ...env, AGENTMAIL_PROJECT: noRepository }
  const { result, words, isLate } = await askProgram({ command, env: around }, hello, startMs)
  const tools = Array.isArray(result?.tools) ? result.tools.filter(isRecord) : []
  if (tools.some(({ name }) => name === 'register')) return 'well'
  const why = result
    ? 'has none of our tools'
    : isLate
      ? `did not answer within ${startMs / 1000} s`
      : redacted(words, config.secrets()) || 'ended without an answer'
  const advice = 'Start it yourself to see why; agentmail setup writes the entry anew.'
  return { says: `${command.join(' ')}: ${why}`, advice }
}

const rpc = { jsonrpc: '2.0' }
const hello = [
  {
    ...rpc,
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'agentmail-doctor', version },
    },
  },
  { ...rpc, method: 'notifications/initialized' },
  { ...rpc, id: 2, method: 'tools/list', params: {} },
]

/** Of a server that is called over HTTP. */
export async function tryUrl(url: string): Promise<Tried> {
  const { origin } = new URL(url)
  const { instance } = await healthAt(origin)
  if (typeof instance === 'string') return 'well'
  const advice = 'Start the server there, or run agentmail setup again.'
  return { says: `AgentMail does not answer at ${origin}`, advice }
}

/** Asks as a hook does, with what is no moment of any session. A token goes to a server of ours alone. */
export async function tryHook(
  config: Config,
  url: string,
  servers: RunningServer[],
): Promise<Tried> {
  const { origin, port } = new URL(url)
  const found = await listenerAt(origin)
  const [server] = servers.filter(({ state }) => state === 'ok')
  const elsewhere = server
    ? `The server is at ${server.url}: agentmail config set port ${new URL(server.url).port} && agentmail setup`
    : undefined
  if (found === 'nobody') {
    const advice = elsewhere ?? 'agentmail up starts the server.'
    return { says: `nobody listens at ${origin}, which its hooks call`, advice }
  }
  if (found === 'other') {
    const advice =
      elsewhere ??
      `End the program at port ${port}, or choose another: agentmail config set port <n> && agentmail setup`
    return { says: `another program listens at ${origin}, which its hooks call`, advice }
  }
  if (!servers.some(({ instance }) => instance === found.instance)) {
    const advice = elsewhere ?? 'agentmail ps tells which server is whose; end the one that is not.'
    return {
      says: `the AgentMail at ${origin}, which its hooks call, has another database`,
      advice,
    }
  }
  const token = serverToken(config)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const json = { hook_event_name: 'Doctor' }
  try {
    const { status } = await exchange({ url: new URL(url), headers, json, limit: hookMs }, 1 << 16)
    if (status === 200) return 'well'
    const advice =
      status === 401
        ? 'Start the client with AGENTMAIL_TOKEN set to the one of the server.'
        : 'Start the server anew: agentmail down && agentmail up'
    return { says: `its hooks are refused at ${url} (HTTP ${status})`, advice }
  } catch {
    return {
      says: `its hooks get no answer at ${url}`,
      advice: 'Start the server anew: agentmail down && agentmail up',
    }
  }
}
