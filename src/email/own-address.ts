/** The address of the account that mail is read and sent with, where anybody knows it. */
import type { Config } from '../config.ts'
import { ownSender } from '../providers/own-sender.ts'
import { readableProvider } from './mail-provider.ts'

/** What the settings say, or else what the service knows; of another server, nobody knows whose mail it has. */
export async function ownMailAddress(config: Config): Promise<string | undefined> {
  const named = ownSender(config)?.address
  if (named !== undefined || config.text('gmailServer') !== undefined) return named
  const provider = readableProvider(config)
  if (provider === 'imap') {
    const { imapAccount } = await import('../providers/imap/account.ts')
    return imapAccount(config).address
  }
  if (provider !== 'gmail') return undefined
  const { GmailAccount } = await import('../providers/gmail/account.ts')
  const { gmailAddress } = await import('../providers/gmail/address.ts')
  return gmailAddress(GmailAccount.of(config), config)
}
