/** Plain HTTP with every header in the test's hands: what fetch would refuse or tidy up goes out as it is. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import * as z from 'zod'
import {
  type Answer,
  answerSchema,
  type Era,
  notificationSchema,
  revisions,
} from '../mcp/protocol.ts'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Asked {
  method?: string
  path: string
  /** Pairs in an array go out in this order, twice where they stand twice. */
  headers?: Record<string, string> | [name: string, value: string][]
  /** Parts go out one by one, without a length before them. */
  body?: string | Buffer | Iterable<Buffer>
  agent?: Agent
}

/** Asks once, and gives the answer; of a stream that does not end, its head. */
export function ask(url: string, { method = 'GET', path, headers = {}, body, agent }: Asked) {
  const { hostname, port, host } = new URL(url)
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers)
  const names = pairs.map(([name]) => name.toLowerCase())
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
  const sent: [string, string][] = [
    ...(names.includes('host') ? [] : ([['host', host]] satisfies [string, string][])),
    ...pairs,
    ...(isWhole ? ([['content-length', `${Buffer.byteLength(body)}`]] as [string, string][]) : []),
  ]
  return new Promise<Reply>((resolve, reject) => {
    const asking = request(
      {
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path,
        headers: sent.flat(),
        setHost: false,
        ...(agent ? { agent } : {}),
      },
      (response) => {
        const { statusCode: status = 0, headers: given } = response
        let text = ''
        const done = () => resolve({ status, headers: given, text })
        if (path.startsWith('/sse') && status === 200) {
          response.destroy()
          return done()
        }
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', done)
        response.on('error', reject)
      },
    )
    asking.on('error', reject)
    if (isWhole || body === undefined) asking.end(body)
    else {
      for (const part of body) asking.write(part)
      asking.end()
    }
  })
}

/** Writes bytes on a connection of their own, and gives everything that comes until it is closed. */
export function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
    socket.write(bytes)
  })
}

/** The status in the first line of such an answer. */
export const statusIn = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])

/** What a client of the era sends with a call. */
export const callHeaders = (era: Era, method = 'tools/list', name?: string) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...(era === 'modern'
    ? {
        'mcp-protocol-version': revisions.modern,
        'mcp-method': method,
        ...(name ? { 'mcp-name': name } : {}),
      }
    : {}),
})

const errorSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({ code: z.int(), message: z.string() }),
})

/** The error in an answer of JSON. */
export const errorIn = ({ text }: Reply) => errorSchema.parse(JSON.parse(text)).error

/** A refusal may name any id that stood in the request. */
const refusalSchema = errorSchema.extend({ id: z.union([z.string(), z.number(), z.null()]) })

/** The answers in a reply, whether it is JSON or a stream of events; fails where one is no JSON-RPC. */
export function answersIn({ status, headers, text }: Reply): Answer[] {
  if (text === '') return []
  if (status !== 200) return [refusalSchema.parse(JSON.parse(text))]
  const isJson = headers['content-type'] === 'application/json'
  const texts = isJson ? [text] : [...text.matchAll(/^data: ([^\n]+)$/gm)].map(([, data]) => data)
  const messages = texts.map((one): unknown => JSON.parse(one ?? ''))
  return messages
    .filter((message) => !notificationSchema.safeParse(message).success)
    .map((message) => answerSchema.parse(message))
}

/** An address by which others reach this machine, if it has one. */
export const outerAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((some) => some ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
