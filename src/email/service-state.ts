/** Whether the mail service works, found out by using it: who it is, where it reads and sends, and what is wrong. */
import { accessSync, constants, existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { gmailPlaces, knownAccounts } from '../providers/gmail/places.ts'
import { serverPlace } from '../providers/mail-server.ts'
import { ownSender } from '../providers/own-sender.ts'
import type { ProviderName } from '../providers/provider.ts'
import { settings } from '../settings.ts'
import { systemClock } from '../system/clock.ts'
import { redacted } from '../system/redact.ts'
import { ifSoon } from '../system/time-limit.ts'
import {
  canOnlySend,
  chosenService,
  hasMailFolder,
  loginAdvice,
  openProvider,
} from './mail-provider.ts'

export interface ServiceState {
  service: ProviderName
  /** How it is called towards a person. */
  name: string
  /** What has decided that it is this one. */
  chosen_by: string | null
  address: string | null
  /** Host and port, or a folder; nothing where it does not do that. */
  reads_at: string | null
  sends_at: string | null
  /** Whether that works; nothing where it does not do that, or nobody has tried. */
  reads: boolean | null
  sends: boolean | null
  /** `soon`: it works, and will not for long. `none`: nobody has set one up. */
  state: 'ok' | 'soon' | 'failed' | 'none'
  /** In one sentence, what works or what is wrong. */
  says: string
  next: string | null
}

/** Less than a check of the doctor has, so that it is told which service it was. */
const askMs = 4_000
const network = 'Look at the network, and whether the service is up.'

type Tried = Pick<ServiceState, 'state' | 'says'> & Partial<ServiceState>

const services: Record<ProviderName, (config: Config) => Tried | Promise<Tried>> = {
  gmail,
  imap,
  smtp,
  postmark,
  local,
}
const names: Record<ProviderName, string> = {
  gmail: 'Gmail',
  imap: 'IMAP',
  smtp: 'SMTP',
  postmark: 'Postmark',
  local: 'local mail',
}

/** Words of a service hold no secret here. Throws where the settings name no service that there is. */
export async function serviceState(config: Config): Promise<ServiceState> {
  const { name: service, by } = chosenService(config)
  const unknown = { address: null, reads_at: null, sends_at: null, reads: null, sends: null }
  const first = { ...unknown, service, name: names[service], chosen_by: by ?? null, next: null }
  try {
    return { ...first, ...inFolder(config, service), ...(await services[service](config)) }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const reads = canOnlySend(service) ? null : false
    return { ...first, reads, sends: false, ...failure(config, error) }
  }
}

/** Where a service that can only send is read. */
function inFolder(config: Config, service: ProviderName): Partial<Tried> {
  if (!canOnlySend(service) || !hasMailFolder(config)) return {}
  const { reads_at = null, reads = null } = local(config)
  return { reads_at, reads }
}

/** Every account of the service that somebody has logged in to. */
export async function serviceStates(config: Config): Promise<ServiceState[]> {
  const isOne = config.isSet('gmailToken') || config.isSet('gmailAccount')
  const accounts = isOne || chosenService(config).name !== 'gmail' ? [] : knownAccounts(config)
  const configs = accounts.map((name) =>
    name === '' ? config : config.with({ [settings.gmailAccount.env]: name }),
  )
  return Promise.all((configs.length > 0 ? configs : [config]).map(serviceState))
}

async function gmail(config: Config): Promise<Tried> {
  const { account, tokenPath } = gmailPlaces(config)
  const isNamed = config.isSet('gmailToken') || config.isSet('gmailAccount')
  if (!isNamed && !config.isSet('mail') && !existsSync(tokenPath)) {
    return { state: 'none', name: 'mail service', says: 'none is set up', next: loginAdvice }
  }
  const { stateOf } = await import('../providers/gmail/state.ts')
  const found = await ifSoon(askMs, () => stateOf(config))
  const name = account === undefined ? 'Gmail' : `Gmail ${account}`
  if (!found) return { name, state: 'failed', says: 'does not answer', next: network }
  const { address, state, problem, next = null } = found
  if (state !== 'ok') {
    return { name, state: 'failed', reads: false, sends: false, says: problem ?? state, next }
  }
  const works = { name, address, reads: true, sends: true }
  if (problem) return { ...works, state: 'soon', says: problem, next }
  return { ...works, state: 'ok', says: `the login works${address ? `: ${address}` : ''}` }
}

async function imap(config: Config): Promise<Tried> {
  const { imapAccount } = await import('../providers/imap/account.ts')
  const { tryImap } = await import('../providers/imap/client.ts')
  const { tryServer } = await import('../providers/smtp/delivery.ts')
  const account = imapAccount(config)
  const [reads, sends] = await Promise.all([
    failureOf(config, tryImap(account, askMs)),
    failureOf(config, tryServer(account.smtp, askMs)),
  ])
  const [reads_at, sends_at] = [serverPlace(account.imap), serverPlace(account.smtp)]
  const known = { address: account.address, reads_at, sends_at, reads: !reads, sends: !sends }
  if (!reads && !sends) {
    return { ...known, state: 'ok', says: `the login works: ${account.address}` }
  }
  const troubles = [
    ...(reads ? [{ ...reads, says: `reading from ${reads_at}: ${reads.says}` }] : []),
    ...(sends ? [{ ...sends, says: `sending by ${sends_at}: ${sends.says}` }] : []),
  ]
  const isKept = config.text('imapUrl') === undefined
  const again = isKept
    ? 'Run: agentmail mail login'
    : `Check ${settings.imapUrl.env} and ${settings.smtpUrl.env}.`
  const isLogin = troubles.some((trouble) => trouble.isLogin)
  const isPassword = isLogin && config.text('mailToken') === undefined
  const own = troubles.find(({ next }) => next !== null)?.next
  return {
    ...known,
    state: 'failed',
    says: troubles.map((trouble) => trouble.says).join('; '),
    next: isPassword ? again : (own ?? network),
  }
}

async function smtp(config: Config): Promise<Tried> {
  const { tryServer } = await import('../providers/smtp/delivery.ts')
  const { smtpServer } = await import('../providers/smtp/url.ts')
  const server = smtpServer(config, config.text('mailToken')?.trim())
  const sends_at = serverPlace(server)
  const address = ownSender(config)?.address ?? null
  const failed = await failureOf(config, tryServer(server, askMs))
  if (!failed) {
    return { address, sends_at, sends: true, state: 'ok', says: `${sends_at} takes the login` }
  }
  const says = `${sends_at}: ${failed.says}`
  return { address, sends_at, sends: false, ...failed, says }
}

/** A mail is looked for that nobody has sent, which needs the token. */
async function postmark(config: Config): Promise<Tried> {
  const provider = await openProvider(config, 'postmark')
  const address = config.text('defaultFrom') ?? null
  const isTest = config.text('postmarkToken')?.trim() === 'POSTMARK_API_TEST'
  if (isTest) {
    const says = 'POSTMARK_API_TEST: nothing is delivered'
    return { address, sends: true, state: 'ok', says }
  }
  const nobodys = { key: 'agentmail doctor', to: [], subject: '', since: systemClock.now() }
  const asked = provider.find?.(nobodys, AbortSignal.timeout(askMs)) ?? Promise.resolve()
  const failed = await failureOf(config, asked)
  if (!failed) return { address, sends: true, state: 'ok', says: 'takes the token' }
  const next = failed.next ?? `Check ${settings.postmarkToken.env}. ${network}`
  return { address, sends: false, ...failed, next }
}

function local(config: Config): Tried {
  const address = ownSender(config)?.address ?? null
  const folder = config.text('mailDir')
  const place = folder ?? 'mail/ in the post office'
  const known = { address, reads_at: place, sends_at: place }
  const works = { ...known, reads: true, sends: true }
  if (folder === undefined) return { ...works, state: 'ok', says: place }
  if (!existsSync(folder))
    return { ...works, state: 'ok', says: `${folder} is made with the first mail` }
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return { ...works, state: 'ok', says: folder }
  } catch {
    const next = 'Look at its owner and permissions.'
    const says = `${folder} may not be read and written`
    return { ...known, reads: false, sends: false, state: 'failed', says, next }
  }
}

interface Failed {
  state: 'failed'
  says: string
  next: string | null
}

async function failureOf(
  config: Config,
  work: Promise<unknown>,
): Promise<(Failed & { isLogin: boolean }) | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { ...failure(config, error), isLogin: error.code === 'auth_required' }
  }
}

const failure = (config: Config, { message, next }: AgentMailError): Failed => ({
  state: 'failed',
  says: redacted(message, config.secrets()),
  next: next ?? null,
})
