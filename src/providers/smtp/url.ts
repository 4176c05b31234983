/** Where mail is handed over by SMTP, read from the one setting that says it. */
import { domainToASCII } from 'node:url'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { settings } from '../../settings.ts'

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the start. */
  isSecure: boolean
  isLoopback: boolean
  login: { user: string; pass: string } | undefined
}

const setting = settings.smtpUrl.env

/** Errors never show the value: it holds a password. */
export function smtpServer(config: Config): SmtpServer {
  const text = config.text('smtpUrl')?.trim()
  if (text === undefined) {
    throw new AgentMailError(
      'server_config',
      `${setting} is not set`,
      'Set it to the mail server that sends: smtp://user:password@host:587, or smtps://…:465.',
    )
  }
  const server = URL.canParse(text) ? read(new URL(text)) : undefined
  if (server) return server
  throw new AgentMailError(
    'server_config',
    `${setting} is no address of a mail server`,
    'Write it as smtp://user:password@host:587 or smtps://user:password@host:465, with special characters of the user and the password percent-encoded (%40 for @, %23 for #).',
  )
}

function read(url: URL): SmtpServer | undefined {
  const isSecure = url.protocol === 'smtps:'
  const host = decoded(url.hostname) && domainToASCII(decoded(url.hostname) ?? '')
  const [user, pass] = [decoded(url.username), decoded(url.password)]
  const hasMore = !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== ''
  if (!(isSecure || url.protocol === 'smtp:') || hasMore || !host || url.port === '0')
    return undefined
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    isLoopback: /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(host),
    login: user === '' ? undefined : { user, pass },
  }
}

/** Nothing where it is not well encoded, or holds what no name or password has. */
function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return /\p{Cc}/u.test(value) ? undefined : value
  } catch {
    return undefined
  }
}
