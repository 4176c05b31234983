/** The built files of the page, each read and packed once. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { AgentMailError } from '../../errors.ts'
import { sha256 } from '../../system/text.ts'
import { sendText } from '../http-exchange.ts'

/** What a file is, and its name where the path does not tell. */
const types: Record<string, { type: string; name?: string }> = {
  '/': { type: 'text/html; charset=utf-8', name: 'index.html' },
  '/page.js': { type: 'text/javascript; charset=utf-8' },
  '/page.css': { type: 'text/css; charset=utf-8' },
  '/login.js': { type: 'text/javascript; charset=utf-8' },
}

export const isPageFile = (path: string): boolean => Object.hasOwn(types, path)

interface Packed {
  plain: Buffer
  zipped: Buffer
  hash: string
}

const packed = new Map<string, Packed>()

export function sendPageFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const { type = '', name = path.slice(1) } = types[path] ?? {}
  const { plain, zipped, hash } = packedFile(name)
  const isZipped = takesGzip(request.headers['accept-encoding'])
  const etag = isZipped ? `"${hash}-gzip"` : `"${hash}"`
  const headers = { etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end()
    return
  }
  sendText(response, 200, isZipped ? zipped : plain, {
    ...headers,
    'content-type': type,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  })
}

export function readPageFile(name: string): Buffer {
  try {
    return readFileSync(join(import.meta.dirname, 'page', name))
  } catch (cause) {
    throw new AgentMailError(
      'internal',
      `the page has no ${name}: it was not built`,
      'Install AgentMail anew; from its sources, run npm run build.',
      { cause },
    )
  }
}

function packedFile(name: string): Packed {
  const known = packed.get(name)
  if (known) return known
  const plain = readPageFile(name)
  const file = { plain, zipped: gzipSync(plain, { level: 9 }), hash: sha256(plain).slice(0, 32) }
  packed.set(name, file)
  return file
}

const takesGzip = (accepted: string | string[] | undefined): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((one) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/i.test(one))

const isKnown = (known: string | undefined, etag: string): boolean =>
  (known ?? '').split(',').some((one) => [etag, `W/${etag}`, '*'].includes(one.trim()))
