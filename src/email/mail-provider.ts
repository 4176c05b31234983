/** The mail service that the settings name; only its own library is loaded. */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { ownSender } from '../providers/own-sender.ts'
import type { Provider, ProviderName } from '../providers/provider.ts'
import { makePostOffice, postOfficeFolder } from '../system/post-office-folder.ts'

const providers: Record<ProviderName, (config: Config) => Promise<Provider>> = {
  gmail: async (config) => (await import('../providers/gmail/gmail.ts')).openGmail(config),
  postmark: async (config) =>
    (await import('../providers/postmark/postmark.ts')).openPostmark(config),
  smtp: async (config) => (await import('../providers/smtp/smtp.ts')).openSmtp(config),
  local: async (config) => {
    const { openLocalMail } = await import('../providers/local/local.ts')
    const { visibleText } = await import('./visible-text/visible-text.ts')
    const from = ownSender(config)
    return openLocalMail(await localFolder(config), {
      from,
      shownText: (mail) => visibleText(mail).text,
    })
  },
}

export const openProvider = (config: Config, name: ProviderName): Promise<Provider> =>
  providers[name](config)

/** What AGENTMAIL_MAIL says; otherwise what is set up. */
export function providerName(config: Config): ProviderName {
  const named = config.choice('mail', ['gmail', 'postmark', 'smtp', 'local'])
  if (named !== undefined) return named
  if (config.text('smtpUrl') !== undefined) return 'smtp'
  if (config.text('postmarkToken') !== undefined) return 'postmark'
  return 'gmail'
}

/** The gmail tools read mail too, so they work with Gmail itself or with local mail. */
export function readableProvider(config: Config): 'gmail' | 'local' {
  const named = config.choice('mail', ['gmail', 'postmark', 'smtp', 'local']) ?? 'gmail'
  if (named === 'gmail' || named === 'local') return named
  throw new AgentMailError(
    'server_config',
    `the gmail tools do not work with ${named}`,
    'Set AGENTMAIL_MAIL to local, or leave it out to use Gmail.',
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
