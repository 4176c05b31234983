/** Where notices are posted to, and in what form: JSON of our own, or as ntfy or Slack takes it. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { isWebAddress } from '../setting-values.ts'
import { settings } from '../settings.ts'
import type { HttpRequest } from '../system/http-request.ts'
import type { Notice } from './notice.ts'

export interface Destination {
  url: URL
  format: (typeof settings.notifyFormat.words)[number]
}

/** Nothing where nobody is to be told. The address itself is in no error: it may be a secret. */
export function destinationOf(config: Config): Destination | undefined {
  const address = config.text('notify')?.trim()
  if (address === undefined) return undefined
  if (!isWebAddress(address)) {
    throw new AgentMailError(
      'server_config',
      'AGENTMAIL_NOTIFY must be an address that begins with http:// or https://',
      'Correct it, or leave it out where nobody is to be told.',
    )
  }
  const format = config.choice('notifyFormat', settings.notifyFormat.words) ?? 'json'
  return { url: new URL(address), format }
}

const words: Record<Notice['kind'], string> = {
  message: 'Message',
  draft: 'Draft to approve',
  unknown_send: 'Mail of unknown outcome',
  several: 'Several notices',
}

/** Names that ntfy shows as pictures. */
const tags: Record<Notice['kind'], string> = {
  message: 'envelope',
  draft: 'memo',
  unknown_send: 'warning',
  several: 'bell',
}

/** The notice as the receiver takes it. */
export function noticeRequest({ url, format }: Destination, notice: Notice): HttpRequest {
  const { kind, project, from, subject } = notice
  const title = `${words[kind]}${project === '' ? '' : ` (${project})`}`
  const line = `${from}: ${subject}`
  if (format === 'json') return { url, json: notice }
  if (format === 'slack') {
    return { url, json: { text: inSlack([title, line, notice.url].filter(Boolean).join('\n')) } }
  }
  const click: Record<string, string> = notice.url === '' ? {} : { click: notice.url }
  return { url, text: line, headers: { title: inHeader(title), tags: tags[kind], ...click } }
}

/** So that no text of others becomes a link or calls a whole channel. */
const inSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** ntfy reads RFC 2047 in its headers; what only looks like it is encoded too. */
const inHeader = (text: string): string =>
  /^[ -~]*$/.test(text) && !text.includes('=?')
    ? text
    : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
