/** The mail service that the settings name; only its own library is loaded. */
import { join } from 'node:path'
import type { Config, SettingName } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { providerNames } from '../mail-settings.ts'
import { hasKeptLogin } from '../providers/imap/login/kept-login.ts'
import type { LocalProvider } from '../providers/local/local.ts'
import { ownSender } from '../providers/own-sender.ts'
import type { Inbox, Provider, ProviderName } from '../providers/provider.ts'
import { settings } from '../settings.ts'
import { makePostOffice, postOfficeFolder } from '../system/post-office-folder.ts'

const providers: Record<ProviderName, (config: Config) => Promise<Provider>> = {
  gmail: async (config) => (await import('../providers/gmail/gmail.ts')).openGmail(config),
  imap: async (config) => {
    const { openImap } = await import('../providers/imap/imap.ts')
    const { visibleText } = await import('./visible-text/visible-text.ts')
    return openImap(config, { shownText: (mail) => visibleText(mail).text })
  },
  postmark: async (config) =>
    withFolder(config, (await import('../providers/postmark/postmark.ts')).openPostmark(config)),
  smtp: async (config) =>
    withFolder(config, (await import('../providers/smtp/smtp.ts')).openSmtp(config)),
  local: (config) => openMailFolder(config),
}

/** The folder of local mail; where mail comes in by HTTP, it is in there too. */
export async function openMailFolder(config: Config): Promise<LocalProvider> {
  const { openLocalMail } = await import('../providers/local/local.ts')
  const { visibleText } = await import('./visible-text/visible-text.ts')
  const from = ownSender(config)
  return openLocalMail(await localFolder(config), {
    from,
    shownText: (mail) => visibleText(mail).text,
  })
}

/** A service that can only send is read from the folder, which is opened when somebody reads. */
function withFolder(config: Config, provider: Provider): Provider {
  if (!hasMailFolder(config)) return provider
  let opened: Promise<Inbox> | undefined
  const inbox = () => {
    opened ??= openMailFolder(config)
      .then((folder) => folder.inbox)
      .catch((error) => {
        opened = undefined
        throw error
      })
    return opened
  }
  return {
    ...provider,
    inbox: {
      list: async (request) => (await inbox()).list(request),
      get: async (id) => (await inbox()).get(id),
      move: async (id, label) => (await inbox()).move(id, label),
      label: async (id, label) => (await inbox()).label(id, label),
      original: async (id) => (await inbox()).original(id),
    },
  }
}

export const canOnlySend = (name: ProviderName): boolean => name === 'postmark' || name === 'smtp'

/** Whoever lets mail come in by HTTP, or names a folder for it, means to read it. */
export const hasMailFolder = (config: Config): boolean =>
  config.isSet('inboundSecret') || config.isSet('mailDir')

export const openProvider = (config: Config, name: ProviderName): Promise<Provider> =>
  providers[name](config)

/** Where nothing is set up. */
export const loginAdvice = 'Run: agentmail mail login (any IMAP account), or agentmail gmail login.'

/** What AGENTMAIL_MAIL says; otherwise what is set up. */
export const providerName = (config: Config): ProviderName => chosenService(config).name

/** The same, with what has decided it; nothing has where Gmail is what is left. */
export function chosenService(config: Config): { name: ProviderName; by: string | undefined } {
  const named = config.choice('mail', providerNames)
  if (named !== undefined) return { name: named, by: settings.mail.env }
  const isSet = (name: SettingName) => config.text(name) !== undefined
  if (isSet('imapUrl')) return { name: 'imap', by: settings.imapUrl.env }
  if (isSet('smtpUrl')) return { name: 'smtp', by: settings.smtpUrl.env }
  if (isSet('postmarkToken')) return { name: 'postmark', by: settings.postmarkToken.env }
  if (hasKeptLogin(config)) return { name: 'imap', by: 'agentmail mail login' }
  return { name: 'gmail', by: undefined }
}

/** What the settings say that is used instead of what `agentmail mail login` has kept; a sentence each. */
export function usedInsteadOfLogin(config: Config): string[] {
  const { name, by } = chosenService(config)
  if (name !== 'imap') return [`${by} names ${name}, which is used instead of this login.`]
  const says: [SettingName, words: string][] = [
    ['imapUrl', 'is set, and read instead of this login.'],
    ['smtpUrl', 'is set, and sends instead of this login.'],
    ['mailToken', 'is the login as long as it is set: no password is kept.'],
  ]
  return says.flatMap(([setting, words]) =>
    config.text(setting) === undefined ? [] : [`${settings[setting].env} ${words}`],
  )
}

/** The gmail tools read mail too, so they work with Gmail itself, or with what else can be read. */
export function readableProvider(config: Config): ProviderName {
  const named = config.choice('mail', providerNames)
  const chosen = providerName(config)
  if (!canOnlySend(chosen)) return chosen
  if (named === undefined && !config.isSet('inboundSecret'))
    return hasKeptLogin(config) ? 'imap' : 'gmail'
  if (hasMailFolder(config)) return chosen
  throw new AgentMailError(
    'server_config',
    `the gmail tools do not work with ${chosen}, which can only send`,
    `Set AGENTMAIL_MAIL to gmail, imap or local, or leave it out to use what you are logged in to; or let mail come in by ${settings.inboundSecret.env}.`,
  )
}

/** A folder that nobody meant would be made, and mail lost in it. */
function checkedFolder(path: string): string {
  if (!/^~(\/|$)/.test(path)) return path
  throw new AgentMailError(
    'server_config',
    `there is no folder for local mail at ${path}`,
    'Set AGENTMAIL_MAIL_DIR to its whole path: only a shell knows what ~ is.',
  )
}

async function localFolder(config: Config): Promise<string> {
  const named = config.text('mailDir')
  if (named !== undefined) return checkedFolder(named)
  const folder = await postOfficeFolder(config).catch((cause) => {
    if (!AgentMailError.is(cause, 'not_in_repository')) throw cause
    throw new AgentMailError(
      'server_config',
      'there is no place for local mail',
      'Set AGENTMAIL_MAIL_DIR to a folder for it, or start inside a git repository.',
    )
  })
  makePostOffice([folder])
  return join(folder, 'mail')
}
