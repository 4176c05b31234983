/** agentmail mail login: asks for address and password, finds the servers, tries both, and keeps what works. */
import { domainToASCII } from 'node:url'
import { Config } from '../../../config.ts'
import { usedInsteadOfLogin } from '../../../email/mail-provider.ts'
import { AgentMailError } from '../../../errors.ts'
import { parseAddresses } from '../../../mime/parse-addresses.ts'
import { findMailServers, outsiders } from '../../../providers/imap/login/find-mail-servers.ts'
import type { FoundServer, ServerKind } from '../../../providers/imap/login/found-server.ts'
import { type KeptLogin, keepLogin } from '../../../providers/imap/login/kept-login.ts'
import { type KnownService, serviceOfServer } from '../../../providers/imap/login/known-services.ts'
import { type LoginTrial, tryLogin } from '../../../providers/imap/login/try-login.ts'
import { mailServerUrl, serverPlace } from '../../../providers/mail-server.ts'
import { type Call, flagText } from '../../command.ts'
import { interruption } from '../../interruption.ts'
import { print, printError, printFailure, printJson } from '../../output.ts'
import { pipedText } from '../../piped-text.ts'
import { askLine, askSecret, canAskAside, isYes } from '../../question.ts'
import { atMost } from '../../subcommands.ts'
import { line } from '../../table.ts'

/** A person mistypes; a program does not, and a service counts what is wrong. */
const mostTries = 3

/** The person has ended it. */
class BrokenOff extends Error {}

interface Servers {
  imap: FoundServer
  smtp: FoundServer
  service: KnownService | undefined
}

type NamedServers = Record<ServerKind, FoundServer | undefined>

export async function login(call: Call): Promise<number> {
  const config = new Config(call.flags)
  const { signal, release } = interruption()
  const brokenOff = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new BrokenOff()))
  })
  try {
    const kept = await Promise.race([loggedIn(call, config, signal), brokenOff])
    const path = await keepLogin(config, kept)
    if (call.json) printJson(toJson(kept, path))
    else print(welcome(kept, path))
    for (const words of usedInsteadOfLogin(config)) printError(`note: ${words}`)
    return 0
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
    printError('The login was broken off: nothing was kept.')
    return 130
  } finally {
    release()
  }
}

/** What works; nothing is kept yet. */
async function loggedIn(call: Call, config: Config, signal: AbortSignal): Promise<KeptLogin> {
  const { flags, json } = call
  const named = { imap: namedServer(flags.imap, 'imap'), smtp: namedServer(flags.smtp, 'smtp') }
  const address = await addressOf(atMost(1, call.positionals)[0])
  const say = (text: string) => json || printError(text)
  const servers = await serversOf(address, named, signal, say)
  await allowOutsiders(address, servers, named)
  const token = config.text('mailToken')?.trim()
  if (servers.service?.takes === 'token' && token === undefined) {
    const { name, advice } = servers.service
    throw new AgentMailError('auth_required', `${name} takes no password from programs`, advice)
  }
  for (let tries = 1; ; tries++) {
    const secret =
      token === undefined ? { password: await passwordOf(address, servers) } : { token }
    say('Logging in …')
    try {
      const user = flagText(flags.user)
      return await tryLogin({ address, user, secret, ...servers } satisfies LoginTrial)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const isTypo = error.code === 'auth_required' && 'password' in secret
      if (!isTypo || !canAskAside() || tries === mostTries) {
        throw new AgentMailError(error.code, `${error.message}; nothing was kept`, error.next)
      }
      printFailure(error, json)
    }
  }
}

async function addressOf(given: string | undefined): Promise<string> {
  if (given === undefined && !canAskAside()) {
    throw new AgentMailError(
      'missing_arguments',
      'whose mail is it?',
      'Write agentmail mail login <address>, and pipe the password to it.',
    )
  }
  const text = given ?? (await askLine('E-mail address: '))
  if (text === undefined) throw new BrokenOff()
  const [found, ...others] = parseAddresses('the address', text)
  const at = found?.address.lastIndexOf('@') ?? -1
  const domain = domainToASCII(found?.address.slice(at + 1) ?? '')
  if (found && others.length === 0 && domain !== '') return found.address.slice(0, at + 1) + domain
  throw new AgentMailError('invalid_request', `${line(text)} is no e-mail address`)
}

const schemes = { imap: { imap: 143, imaps: 993 }, smtp: { smtp: 587, smtps: 465 } }

/** A name alone will do: TLS from the start, unless its port is that of STARTTLS. */
function namedServer(
  flag: string | boolean | undefined,
  kind: ServerKind,
): FoundServer | undefined {
  const text = flagText(flag)?.trim()
  if (text === undefined) return undefined
  const isUpgraded = /:(?:143|587|25)$/.test(text)
  const url = text.includes('://') ? text : `${kind}${isUpgraded ? '' : 's'}://${text}`
  const read = mailServerUrl(url, schemes[kind])
  if (!read) {
    throw new AgentMailError(
      'invalid_request',
      `--${kind} is no address of a mail server`,
      `Write it as ${kind}s://host:${schemes[kind] === schemes.imap ? 993 : 465}.`,
    )
  }
  const { user, pass, ...server } = read
  if (user === '' && pass === '') return server
  throw new AgentMailError(
    'invalid_request',
    `--${kind} must hold no user and no password: others on this machine could see them`,
    'Give --user; the password is asked for, or piped in.',
  )
}

async function serversOf(
  address: string,
  named: NamedServers,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<Servers> {
  const { imap, smtp } = named
  if (imap && smtp) return { imap, smtp, service: serviceOfServer(imap) }
  const domain = address.slice(address.lastIndexOf('@') + 1)
  say(`Looking for the servers of ${line(domain)} …`)
  const kinds = (['imap', 'smtp'] as const).filter((kind) => !named[kind])
  const found = await findMailServers(address, { kinds, outer: [signal] })
  const servers = { imap: imap ?? found.imap, smtp: smtp ?? found.smtp, service: found.service }
  if (!servers.imap || !servers.smtp) throw notFound(address, servers, found.unsafe)
  const { service } = servers
  say(
    [
      service ? `This is ${service.name}.` : 'Found:',
      `  Reading  ${serverPlace(servers.imap)}`,
      `  Sending  ${serverPlace(servers.smtp)}`,
    ].join('\n'),
  )
  return { imap: servers.imap, smtp: servers.smtp, service }
}

function notFound(address: string, { imap, smtp }: NamedServers, unsafe: string[]): AgentMailError {
  const domain = line(address.slice(address.lastIndexOf('@') + 1))
  const what = imap ? 'server that sends' : smtp ? 'server that can be read' : 'server'
  const others =
    unsafe.length === 0
      ? ''
      : `; ${unsafe.slice(0, 4).join(', ')} answers, but without TLS or with a certificate that does not fit, and gets no password`
  const flags = `${imap ? '' : ' --imap imaps://host:993'}${smtp ? '' : ' --smtp smtps://host:465'}`
  return new AgentMailError(
    'not_found',
    `no mail ${what} was found for ${domain}${others}`,
    `Check the network and the address, or name it: agentmail mail login ${line(address)}${flags}`,
  )
}

/** A name in the DNS is no proof: where the password would leave the domain, the person says whether it may. */
async function allowOutsiders(
  address: string,
  { imap, smtp }: Servers,
  named: NamedServers,
): Promise<void> {
  const found = [named.imap ? undefined : imap, named.smtp ? undefined : smtp]
  const hosts = outsiders(address, found)
  if (hosts.length === 0) return
  const domain = line(address.slice(address.lastIndexOf('@') + 1))
  const outside = `${hosts.join(' and ')}, outside ${domain}`
  if (!canAskAside()) {
    throw new AgentMailError(
      'permission_denied',
      `the password would go to ${outside}`,
      `If that is right, say so: --imap ${urlOf(imap, 'imap')} --smtp ${urlOf(smtp, 'smtp')}`,
    )
  }
  const question = `Your password would go to ${outside}. Is that where your mail is? [y/N] `
  if (!(await isYes(question, process.stderr))) throw new BrokenOff()
}

const urlOf = (server: FoundServer, kind: ServerKind): string =>
  `${kind}${server.isSecure ? 's' : ''}://${serverPlace(server)}`

async function passwordOf(address: string, { service }: Servers): Promise<string> {
  const isApp = service?.takes === 'app'
  if (!canAskAside()) return pipedPassword()
  if (service?.advice) {
    printError(isApp ? `It wants an app password. ${service.advice}` : service.advice)
  }
  const what = isApp ? 'App password' : 'Password'
  const typed = await askSecret(`${what} of ${line(address)} (not shown): `)
  if (typed === undefined) throw new BrokenOff()
  return asUsed(typed, service)
}

/** Google shows its app passwords in four groups, which are one word. */
const asUsed = (typed: string, service: KnownService | undefined): string =>
  service?.takes === 'app' && /^[a-z]{4}(?: [a-z]{4}){3}$/.test(typed.trim())
    ? typed.replaceAll(' ', '').trim()
    : typed

async function pipedPassword(): Promise<string> {
  const text = await pipedText(false, 4096)
  if (text !== undefined && !/\p{Cc}/u.test(text)) return text
  throw new AgentMailError(
    'missing_arguments',
    text === undefined ? 'there is no password' : 'the password must be one line',
    'Pipe it to the command, or run it on a terminal. It is never taken as an argument.',
  )
}

const welcome = ({ address, imap, smtp }: KeptLogin, path: string): string =>
  `Logged in as ${line(address)}: reading and sending work.

  Reading  ${serverPlace(imap)}
  Sending  ${serverPlace(smtp)}
  Kept in  ${line(path)}, readable by you alone

Look at your mail:       agentmail mail list
Serve it to your agents: claude mcp add gmail --env VAULT_PATH="$HOME/notes" -- agentmail mcp gmail`

const toJson = ({ address, user, imap, smtp }: KeptLogin, path: string) => ({
  address,
  user,
  imap: urlOf(imap, 'imap'),
  smtp: urlOf(smtp, 'smtp'),
  path,
})
