/** Whether the mail service works, found out by using it: who it is, where it reads and sends, and what is wrong. */
import { accessSync, constants, existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { gmailPlaces, knownAccounts } from '../providers/gmail/places.ts'
import { ownSender } from '../providers/own-sender.ts'
import type { ProviderName } from '../providers/provider.ts'
import { settings } from '../settings.ts'
import { systemClock } from '../system/clock.ts'
import { ifSoon } from '../system/time-limit.ts'
import {
  canOnlySend,
  chosenService,
  hasMailFolder,
  loginAdvice,
  openProvider,
} from './mail-provider.ts'
import { imapState, smtpState } from './server-state.ts'
import {
  checkNetwork,
  failed,
  failureOf,
  notYet,
  type ServiceQuestion,
  type ServiceState,
  type TriedService,
} from './service-answer.ts'

const services: Record<
  ProviderName,
  (asking: ServiceQuestion) => TriedService | Promise<TriedService>
> = {
  gmail,
  imap: imapState,
  smtp: smtpState,
  postmark,
  local: ({ config }) => local(config),
}
const names: Record<ProviderName, string> = {
  gmail: 'Gmail',
  imap: 'IMAP',
  smtp: 'SMTP',
  postmark: 'Postmark',
  local: 'local mail',
}

/** Throws where the settings name no service that there is. */
export async function serviceState(asking: ServiceQuestion): Promise<ServiceState> {
  const { config } = asking
  const { name: service, by } = chosenService(config)
  const unknown = { address: null, reads_at: null, sends_at: null, reads: null, sends: null }
  const first = {
    ...{ ...unknown, service, name: names[service], chosen_by: by ?? null },
    ...{ note: null, next: null },
  }
  try {
    return { ...first, ...inFolder(config, service), ...(await services[service](asking)) }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const reads = canOnlySend(service) ? null : false
    return { ...first, reads, sends: false, ...failed(config, error) }
  }
}

/** Where a service that can only send is read. */
function inFolder(config: Config, service: ProviderName): Partial<TriedService> {
  if (!canOnlySend(service) || !hasMailFolder(config)) return {}
  const { reads_at = null, reads = null } = local(config)
  return { reads_at, reads }
}

/** Every account of the service that somebody has logged in to. */
export async function serviceStates(asking: ServiceQuestion): Promise<ServiceState[]> {
  const { config } = asking
  const isOne = config.isSet('gmailToken') || config.isSet('gmailAccount')
  const accounts = isOne || chosenService(config).name !== 'gmail' ? [] : knownAccounts(config)
  const configs = accounts.map((name) =>
    name === '' ? config : config.with({ [settings.gmailAccount.env]: name }),
  )
  const all = configs.length > 0 ? configs : [config]
  return Promise.all(all.map((one) => serviceState({ ...asking, config: one })))
}

async function gmail(asking: ServiceQuestion): Promise<TriedService> {
  const { config, limitMs } = asking
  const { account, tokenPath } = gmailPlaces(config)
  const isNamed = config.isSet('gmailToken') || config.isSet('gmailAccount')
  if (!isNamed && !config.isSet('mail') && !existsSync(tokenPath)) {
    return { state: 'none', name: 'mail service', says: 'none is set up', next: loginAdvice }
  }
  const { stateOf } = await import('../providers/gmail/state.ts')
  const found = await ifSoon(limitMs, () => stateOf(config))
  const name = account === undefined ? 'Gmail' : `Gmail ${account}`
  if (!found) return { name, ...notYet(asking, checkNetwork) }
  const { address, state, problem, next = null } = found
  if (state !== 'ok') {
    return { name, state: 'failed', reads: false, sends: false, says: problem ?? state, next }
  }
  const works = { name, address, reads: true, sends: true }
  if (problem) return { ...works, state: 'soon', says: problem, next }
  return { ...works, state: 'ok', says: `the login works${address ? `: ${address}` : ''}` }
}

/** A mail is looked for that nobody has sent, which needs the token. */
async function postmark(asking: ServiceQuestion): Promise<TriedService> {
  const { config, limitMs } = asking
  const provider = await openProvider(config, 'postmark')
  const address = config.text('defaultFrom') ?? null
  const note =
    address === null
      ? `each mail must name its sender (from), as ${settings.defaultFrom.env} is not set`
      : null
  const isTest = config.text('postmarkToken')?.trim() === 'POSTMARK_API_TEST'
  if (isTest) {
    const says = 'POSTMARK_API_TEST: nothing is delivered'
    return { address, note, sends: true, state: 'ok', says }
  }
  const nobodys = { key: 'agentmail doctor', to: [], subject: '', since: systemClock.now() }
  const signal = AbortSignal.timeout(limitMs)
  const trouble = await failureOf(asking, () => provider.find?.(nobodys, signal))
  if (!trouble) return { address, note, sends: true, state: 'ok', says: 'takes the token' }
  const next = trouble.next ?? `Check ${settings.postmarkToken.env}. ${checkNetwork}`
  return {
    address,
    sends: false,
    ...(signal.aborted ? notYet(asking, next) : { ...trouble, next }),
  }
}

function local(config: Config): TriedService {
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
