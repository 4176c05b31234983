/** What a person asks setup for, checked. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { hereOf } from '../connection/here.ts'
import { notedServer } from '../connection/remote/server-address.ts'
import { projectNameOf } from '../coordination/projects/origin.ts'
import { AgentMailError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { noteFor } from '../store/usual-database.ts'
import { currentFolder } from '../system/post-office-folder.ts'
import { runProgram } from '../system/run-program.ts'
import { type Places, type Scope, scopes, setupToolsets, type Wanted } from './clients/client.ts'
import { ownProgram } from './found.ts'

export async function setupPlaces(config: Config): Promise<Places> {
  const home = homedir()
  const { outcome, stdout } = await runProgram('git', ['rev-parse', '--show-toplevel'], {
    cwd: currentFolder(),
  })
  const root = stdout.replace(/\r?\n$/, '')
  return {
    home: isAbsolute(home) ? home : userInfo().homedir,
    repository: outcome === 'ok' && isAbsolute(root) ? root : undefined,
    env: config.environment(),
  }
}

export interface AskedServer {
  scope: Scope
  /** Of a server elsewhere, as it was given. */
  server: string | undefined
}

/** What the entries are to say. */
export async function wantedOf(
  config: Config,
  places: Places,
  asked: AskedServer,
): Promise<Wanted> {
  const { env } = places
  const vault = config.text('vault')
  return {
    program: ownProgram(places, process.argv[1] ?? 'agentmail'),
    scope: asked.scope,
    port: portOf(config),
    server:
      asked.server === undefined ? undefined : await serverAt(config, asked.server, asked.scope),
    isGuardClosed: env.AGENTMAIL_GUARD?.trim().toLowerCase() === 'closed',
    vault: vault === undefined ? undefined : resolve(currentFolder(), vault),
  }
}

/** That of the server that runs, unless another is named; a free one is found by nobody. */
function portOf(config: Config): number {
  const running = config.isSet('port') ? undefined : notedServer(noteFor(config))
  const port = running ? Number(new URL(running.url).port) : config.number('port')
  return port >= 1 && port <= 65_535 ? port : 8391
}

/** The address of the tools, and whether a token has to come with it. */
async function serverAt(config: Config, given: string, scope: Scope) {
  const wrong = (why: string, next: string) => new AgentMailError('invalid_request', why, next)
  const text = given.trim()
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    throw wrong('--server must be an http(s) address', 'Give it as in http://192.168.1.5:8391.')
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw wrong(
      '--server must be an address without a password, a token or a query',
      'Put the token into AGENTMAIL_TOKEN, which is read when the client starts.',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (path !== '' && !/^\/mcp(\/[^/]+)?$/.test(path)) {
    throw wrong('--server has a path that AgentMail does not serve', 'Leave the path out.')
  }
  const project = scope === 'project' ? `/${encodeURIComponent(await projectName(config))}` : ''
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
  return {
    url: `${url.origin}${path === '' ? `/mcp${project}` : path}`,
    hasToken: !isHere || config.text('token') !== undefined,
  }
}

async function projectName(config: Config): Promise<string> {
  const here = await hereOf(config)
  return 'project' in here ? here.project : projectNameOf(here)
}

export const scopeOf = (flag: string | undefined): Scope | undefined =>
  flag === undefined ? undefined : oneOf('--scope', scopes, flag)

export const toolsetsOf = (flag: string | undefined) => {
  const names = flag?.split(',').map((name) => name.trim()) ?? ['coordination']
  return names.filter((name) => name !== '').map((name) => oneOf('--with', setupToolsets, name))
}

export function oneOf<const Word extends string>(
  what: string,
  words: readonly Word[],
  given: string,
): Word {
  const found = words.find((word) => word === given.toLowerCase())
  if (found !== undefined) return found
  throw new AgentMailError(
    'invalid_request',
    `${what}: there is no ${given}${didYouMean(given, words)}`,
    `There is: ${words.join(', ')}.`,
  )
}
