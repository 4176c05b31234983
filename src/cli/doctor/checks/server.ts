/** The server: whether it runs and is well, who has its port, and whether it takes our token. */
import type { Config } from '../../../config.ts'
import { namedServer, serverToken } from '../../../connection/remote/server-address.ts'
import { AgentMailError } from '../../../errors.ts'
import type { RunningServer } from '../../../server/background.ts'
import { checkDoor } from '../../../server/guards.ts'
import { healthAt, listenerAt } from '../../../server/running.ts'
import { exchange } from '../../../system/http-request.ts'
import { version } from '../../../version.ts'
import { type Check, type Checked, off, ok, problem, refused, warn } from '../check.ts'

const askMs = 3_000
const anew = 'agentmail down stops it, agentmail up starts another.'

export const serverCheck: Check = {
  name: 'server',
  async look({ config, servers }) {
    const named = namedServer(config)
    if (named) return [await namedOne(named.url)]
    const running = await servers()
    if (running.length > 0) return running.map(words)
    return [off('server', 'none runs', 'agentmail up starts one.'), ...(await portCheck(config))]
  },
}

function words({ url, pid, state, message, version: its }: RunningServer): Checked {
  const who = `${url}/ (PID ${pid})`
  if (state === 'silent') return problem('server', `${who} does not answer`, anew)
  if (state === 'database_lost') {
    const [why = 'its database is gone'] = message?.split('\n') ?? []
    return problem('server', `${who}: ${why}`, anew)
  }
  if (state === 'database_unavailable') {
    const advice = 'Bring the database back: the server goes on by itself.'
    return problem('server', `${who} cannot use its database at the moment`, advice)
  }
  if (its !== version) return warn('server', `${who} is ${its}, and this is ${version}`, anew)
  return ok('server', who)
}

async function namedOne(url: string): Promise<Checked> {
  const { instance, status, version: its } = await healthAt(url)
  if (typeof instance !== 'string') {
    const advice = 'Check AGENTMAIL_SERVER, and whether that server runs.'
    return problem('server', `AgentMail does not answer at ${url}`, advice)
  }
  if (status !== 'ok') return problem('server', `${url} cannot use its database`, 'Look there.')
  if (its === version) return ok('server', url)
  return warn('server', `${url} is ${its}, and this is ${version}`, 'Bring the older up to date.')
}

/** Whoever has it is in the way of the next server. */
async function portCheck(config: Config): Promise<Checked[]> {
  const port = Number(config.text('port'))
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return []
  const found = await listenerAt(`http://127.0.0.1:${port}`)
  if (found === 'nobody') return [ok('port', `${port} is free`)]
  const who = found === 'other' ? 'another program' : 'AgentMail with another database'
  const advice =
    'End that, or choose another port: agentmail config set port <n> && agentmail setup'
  return [warn('port', `${port} is in use by ${who}`, advice)]
}

export const tokenCheck: Check = {
  name: 'token',
  async look({ config, servers }) {
    const token = serverToken(config)
    try {
      checkDoor({ host: config.text('host') || '127.0.0.1', token })
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return [refused('token', error)]
    }
    const well = (await servers()).filter(({ state }) => state === 'ok').map(({ url }) => url)
    const asked = [...well, ...(namedServer(config) ? [namedServer(config)?.url ?? ''] : [])]
    const found = await Promise.all(asked.map((url) => isTaken(url, token)))
    const refusing = asked.filter((_, index) => found[index] === false)
    if (refusing.length > 0) {
      const says = token === undefined ? 'it is not set' : 'it is another'
      const advice = 'Set AGENTMAIL_TOKEN to the one that the server was started with.'
      return refusing.map((url) => problem('token', `${url} wants one, and ${says}`, advice))
    }
    if (token === undefined) return [off('token', 'none is set, and none is needed here')]
    return [ok('token', asked.length > 0 ? 'the server takes it' : 'is set')]
  },
}

/** Nothing where it does not answer. */
async function isTaken(url: string, token: string | undefined): Promise<boolean | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    const address = new URL(`${url}/api/hello`)
    const { status } = await exchange({ url: address, headers, limit: askMs }, 1 << 16)
    return status !== 401
  } catch {
    return undefined
  }
}
