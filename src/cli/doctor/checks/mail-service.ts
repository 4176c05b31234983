/** The mail service: whether its settings are whole, and whether the login works. */
import { accessSync, constants, existsSync } from 'node:fs'
import type { Config } from '../../../config.ts'
import { openProvider, providerName } from '../../../email/mail-provider.ts'
import { AgentMailError } from '../../../errors.ts'
import { gmailPlaces, knownAccounts } from '../../../providers/gmail/places.ts'
import { ownSender } from '../../../providers/own-sender.ts'
import { settings } from '../../../settings.ts'
import { systemClock } from '../../../system/clock.ts'
import { redacted } from '../../../system/redact.ts'
import { type Check, type Checked, off, ok, problem, warn } from '../check.ts'

/** Less than a check has, so that it is told which service it was. */
const askMs = 4_000
const network = 'Look at the network, and whether the service is up.'

export const mailServiceCheck: Check = {
  name: 'mail service',
  // Longer than a service has: what speaks to it must be loaded before.
  limitMs: 12_000,
  async look({ config }) {
    try {
      const name = providerName(config)
      if (name === 'gmail') return await gmail(config)
      if (name === 'local') return [local(config)]
      return [name === 'smtp' ? await smtp(config) : await postmark(config)]
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      const { message, next = '' } = error
      return [problem('mail service', redacted(message, config.secrets()), next)]
    }
  },
}

/** Every account that somebody has logged in to. */
async function gmail(config: Config): Promise<Checked[]> {
  const isNamed = config.isSet('gmailToken') || config.isSet('gmailAccount')
  const accounts = isNamed ? [] : knownAccounts(config)
  const isMeant = isNamed || config.isSet('mail') || existsSync(gmailPlaces(config).tokenPath)
  if (!isMeant && accounts.length === 0) return [off('mail service', 'none is set up')]
  const configs = accounts.map((name) =>
    name === '' ? config : config.with({ [settings.gmailAccount.env]: name }),
  )
  const { stateOf } = await import('../../commands/gmail/state.ts')
  return Promise.all(
    (configs.length > 0 ? configs : [config]).map(async (one) => {
      const name = gmailPlaces(one).account
      const check = name === undefined ? 'Gmail' : `Gmail ${name}`
      const state = await inTime(stateOf(one))
      if (!state) return problem(check, 'does not answer', network)
      if (state.state !== 'ok') return problem(check, state.problem ?? '', state.next ?? '')
      if (state.problem) return warn(check, state.problem, state.next ?? '')
      return ok(check, `the login works${state.address ? `: ${state.address}` : ''}`)
    }),
  )
}

/** In words that hold no secret. */
async function smtp(config: Config): Promise<Checked> {
  const { tryServer } = await import('../../../providers/smtp/delivery.ts')
  const { smtpServer } = await import('../../../providers/smtp/url.ts')
  const server = smtpServer(config)
  const where = `${server.host}:${server.port}`
  ownSender(config)
  try {
    await tryServer(server, askMs)
    return ok('SMTP', `${where} takes the login`)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const words = redacted(error.message, config.secrets())
    return problem('SMTP', `${where}: ${words}`, error.next ?? network)
  }
}

/** A mail is looked for that nobody has sent, which needs the token. */
async function postmark(config: Config): Promise<Checked> {
  const provider = await openProvider(config, 'postmark')
  const isTest = config.text('postmarkToken')?.trim() === 'POSTMARK_API_TEST'
  if (isTest) return ok('Postmark', 'POSTMARK_API_TEST: nothing is delivered')
  try {
    const nobodys = { key: 'agentmail doctor', to: [], subject: '', since: systemClock.now() }
    await provider.find?.(nobodys, AbortSignal.timeout(askMs))
    return ok('Postmark', 'takes the token')
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const words = redacted(error.message, config.secrets())
    return problem(
      'Postmark',
      words,
      error.next ?? `Check ${settings.postmarkToken.env}. ${network}`,
    )
  }
}

function local(config: Config): Checked {
  ownSender(config)
  const folder = config.text('mailDir')
  if (folder === undefined) return ok('mail service', 'local: mail/ in the post office')
  if (!existsSync(folder))
    return off('mail service', `local: ${folder} is made with the first mail`)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok('mail service', `local: ${folder}`)
  } catch {
    const advice = 'Look at its owner and permissions.'
    return problem('mail service', `${folder} may not be read and written`, advice)
  }
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, askMs, undefined)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
