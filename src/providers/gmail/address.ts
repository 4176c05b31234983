/** Asks Gmail whose account it is, which shows that its token works. */
import type { OAuth2Client } from 'google-auth-library'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { isRecord } from '../../system/text.ts'
import type { GmailAccount } from './account.ts'
import { baseUrl, statusOf } from './google-login.ts'

const timeoutMs = 10_000

/** Nothing where the service knows no profiles. */
export async function gmailAddress(
  account: GmailAccount,
  config: Config,
): Promise<string | undefined> {
  const url = `${baseUrl(config, 'gmailBaseUrl')}/gmail/v1/users/me/profile`
  const client = await account.client()
  const first = await answerOf(client, url)
  if (first.status !== 401) return addressIn(first, account)
  await account.refresh()
  return addressIn(await answerOf(client, url), account)
}

interface Reply {
  status: number | undefined
  data?: unknown
}

async function answerOf(client: OAuth2Client, url: string): Promise<Reply> {
  try {
    const { status, data } = await client.request({
      url,
      timeout: timeoutMs,
      responseType: 'json',
      redirect: 'error',
    })
    return { status, data }
  } catch (error) {
    return { status: statusOf(error) }
  }
}

function addressIn({ status, data }: Reply, account: GmailAccount): string | undefined {
  if (status === 404) return undefined
  if (status === 200) {
    const address = isRecord(data) ? data.emailAddress : undefined
    const isAddress =
      typeof address === 'string' && /^[^\s\p{C}@]{1,64}@[^\s\p{C}@]{1,255}$/u.test(address)
    return isAddress ? address : undefined
  }
  if (status === 401) {
    throw new AgentMailError(
      'auth_required',
      'Gmail does not accept the login of this account',
      `Run: ${account.places.loginCommand}`,
      { details: { reason: 'dead_token' } },
    )
  }
  if (status === 403) {
    throw new AgentMailError(
      'permission_denied',
      'Gmail refuses access to this account (403)',
      'Enable the Gmail API for your project at https://console.cloud.google.com/apis/library/gmail.googleapis.com, and tick every box when you log in.',
      { details: { reason: 'refused' } },
    )
  }
  throw new AgentMailError(
    'internal',
    'Gmail cannot be reached, or does not work at the moment',
    'Try again later.',
    { details: { reason: 'unreachable' } },
  )
}
