/** A mail server and the login to it, read from the one setting that says both. */

import type { ConnectionOptions } from 'node:tls'
import { domainToASCII } from 'node:url'
import { settings } from '../settings.ts'

export interface MailServer {
  host: string
  port: number
  /** TLS from the start. */
  isSecure: boolean
  isLoopback: boolean
}

/** A password, or an access token (XOAUTH2). */
export type MailLogin =
  | {
      user: string
      pass: string
      /** That has the password; none where `agentmail mail login` has kept it. */
      setting?: string
    }
  | { user: string; token: string }

/** How long a server may take to let somebody in: Dovecot waits up to 17 s with its answer to those who were wrong before. */
export const loginMs = 20_000

export interface MailServerUrl extends MailServer {
  /** Empty where there is none. */
  user: string
  pass: string
}

/** The port of a protocol without TLS, and of the one with it. @example { smtp: 587, smtps: 465 } */
export type Schemes = Readonly<Record<string, number>>

/** Nothing where it is no address of such a server. Special characters of the user and the password are percent-encoded. */
export function mailServerUrl(text: string, schemes: Schemes): MailServerUrl | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const scheme = url.protocol.slice(0, -1)
  const usualPort = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined
  const host = domainToASCII(decoded(url.hostname) ?? '')
  const [user, pass] = [decoded(url.username), decoded(url.password)]
  const hasMore = !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== ''
  if (usualPort === undefined || hasMore || host === '' || url.port === '0') return undefined
  if (user === undefined || pass === undefined) return undefined
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || usualPort,
    isSecure: scheme.endsWith('s'),
    isLoopback: isLoopbackHost(host),
    user,
    pass,
  }
}

export const isLoopbackHost = (host: string): boolean =>
  /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host)

/** As it is told to a person. */
export const serverPlace = ({ host, port }: MailServer): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** What to do about a login that was refused: it is changed where it was said. */
export function refusedLoginAdvice(login: MailLogin): string {
  if ('token' in login) {
    return `Check the user and ${settings.mailToken.env}: access tokens end soon.`
  }
  return login.setting === undefined
    ? 'Run: agentmail mail login.'
    : `Check the user and the password in ${login.setting}.`
}

/** A certificate for localhost is hardly ever signed, and nobody listens on the way there. */
export const certificateRules = ({ isSecure, isLoopback }: MailServer): ConnectionOptions => ({
  rejectUnauthorized: isSecure || !isLoopback,
})

/** Nothing where it is not well encoded, or holds what no name or password has. */
function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return /\p{Cc}/u.test(value) ? undefined : value
  } catch {
    return undefined
  }
}
