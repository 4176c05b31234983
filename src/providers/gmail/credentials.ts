/** Google's client_secret.json: who AgentMail is towards Google. */
import { AgentMailError } from '../../errors.ts'
import { SecretFile } from '../../system/secret-file.ts'
import { isRecord, jsonOf } from '../../system/text.ts'

export interface GmailCredentials {
  clientId: string
  clientSecret: string | undefined
  /** Not a desktop client: Google ends its logins, or does not let them happen on this machine at all. */
  isWeb: boolean
}

/** `name` is how the file is called in an error. */
export function readCredentials(path: string, name: string): GmailCredentials {
  const value = jsonOf(textOf(path, name))
  if (!isRecord(value)) throw useless(`${name} is not JSON`)
  const client = [value.installed, value.web, value].find(isRecord)
  const { client_id, client_secret } = client ?? {}
  if (typeof client_id !== 'string' || client_id === '') {
    throw useless(`${name} names no OAuth client (it has no client_id)`)
  }
  return {
    clientId: client_id,
    clientSecret: typeof client_secret === 'string' ? client_secret : undefined,
    isWeb: isRecord(value.web) && !isRecord(value.installed),
  }
}

function textOf(path: string, name: string): string {
  let text: string | undefined
  try {
    text = new SecretFile(path).read()?.text
  } catch {
    throw useless(`${name} cannot be read`)
  }
  if (text !== undefined) return text
  throw new AgentMailError(
    'auth_required',
    `Google's client_secret.json is missing: looked for ${name}`,
    `${whence} Put it there, or name it with GMAIL_CREDENTIALS_PATH.`,
    { details: { reason: 'no_credentials' } },
  )
}

const whence =
  'Get it at https://console.cloud.google.com/apis/credentials: enable the Gmail API, create an OAuth client of type "Desktop app" and download its JSON.'

const useless = (message: string) =>
  new AgentMailError('auth_required', message, whence, { details: { reason: 'bad_credentials' } })
