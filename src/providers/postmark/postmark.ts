/** Mail through Postmark: each send is one request, never repeated. */
import type { Config } from '../../config.ts'
import { AgentMailError, notSent } from '../../errors.ts'
import { checkHeaders } from '../../mime/check-headers.ts'
import { exchange } from '../../system/http-request.ts'
import { jsonOf } from '../../system/text.ts'
import { version } from '../../version.ts'
import type { Limits, OutgoingMail, Provider, Receipt, Trace } from '../provider.ts'
import { formatted, keyName } from './format.ts'
import {
  foundIn,
  lost,
  type PostmarkReply,
  postmarkReceipt,
  testToken,
  tokenMissing,
} from './reply.ts'

const mebibyte = 1 << 20
/** More than any reply of Postmark's that we ask for. */
const maxReplyBytes = 4 * mebibyte

const limits: Limits = {
  recipients: 50,
  body: 5 * mebibyte,
  total: 10 * mebibyte,
  forbidden: new Set(
    'vbs exe bin bat chm com cpl crt hlp hta inf ins isp jse lnk mdb pcd pif reg scr sct shs vbe vba wsf wsh wsl msc msi msp mst'.split(
      ' ',
    ),
  ),
}

/** @example await openPostmark(config).send(mail, AbortSignal.timeout(30_000)) */
export function openPostmark(config: Config): Provider {
  const base = baseUrl(config)
  const stream = config.text('messageStream')?.trim() ?? 'outbound'
  const from = config.text('defaultFrom')?.trim() ?? ''
  const isTest = config.text('postmarkToken')?.trim() === testToken

  return {
    name: 'postmark',
    // A trial does not use up the key of the mail itself.
    account: `${base}${isTest ? ' test' : ''}`,
    limits,

    async send(mail: OutgoingMail, signal: AbortSignal): Promise<Receipt> {
      const token = tokenOf(config)
      checkHeaders(mail)
      if (!mail.from && from === '') {
        const next = 'Give it, or set DEFAULT_FROM_ADDRESS.'
        throw notSent('invalid_request', 'from is required', next)
      }
      if (signal.aborted) throw notSent('send_failed', 'there was no time left to send it')
      const { path, body } = formatted(mail, { from, stream })
      const reply = await ask({ base, token, path, signal }, body).catch((error) => {
        throw lost(error, signal)
      })
      return postmarkReceipt(reply, token)
    },

    async find({ key }: Trace, signal: AbortSignal): Promise<Receipt | undefined> {
      const token = tokenOf(config)
      const filter = new URLSearchParams({ count: '1', offset: '0', [`metadata_${keyName}`]: key })
      const path = `/messages/outbound?${filter}`
      const reply = await ask({ base, token, path, signal }).catch((error) => {
        throw notAsked(lost(error, signal).message)
      })
      if (reply.status !== 200) throw notAsked(`it answered with HTTP ${reply.status}`)
      return foundIn(reply, token, (metadata) => metadata[keyName] === key)
    },
  }
}

interface Asked {
  base: URL
  token: string
  /** With its query. */
  path: string
  signal: AbortSignal
}

async function ask({ base, token, path, signal }: Asked, json?: object): Promise<PostmarkReply> {
  const { body = '', ...head } = await exchange(
    {
      url: new URL(`${base.href.replace(/\/+$/, '')}${path}`),
      headers: {
        accept: 'application/json',
        'user-agent': `agentmail/${version}`,
        'x-postmark-server-token': token,
      },
      json,
      outer: [signal],
    },
    maxReplyBytes,
  )
  return { ...head, body: jsonOf(body) }
}

/** Says nothing about the outcome of the mail that was looked for. */
const notAsked = (why: string) =>
  new AgentMailError('server_unreachable', `Postmark cannot be asked about sent mail: ${why}`)

function tokenOf(config: Config): string {
  const token = config.text('postmarkToken')?.trim()
  if (!token) throw tokenMissing('there is no Postmark server token')
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw tokenMissing('the Postmark server token has characters in it that no token has')
}

function baseUrl(config: Config): URL {
  const text = config.text('postmarkBaseUrl')?.trim() ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (isPlain && /^https?:$/.test(url.protocol)) return url
  throw new AgentMailError(
    'bad_config',
    'POSTMARK_BASE_URL must be a plain http or https URL',
    'Correct it, or leave it out to use https://api.postmarkapp.com.',
  )
}
