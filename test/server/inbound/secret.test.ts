/** The secret of the routes that take in mail is compared by the same work, whatever was given. */
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { isSameSecret } from '../../../src/server/guards.ts'
import { HttpError } from '../../../src/server/http-exchange.ts'
import { Inbound } from '../../../src/server/inbound.ts'
import { listening } from '../../support/listening.ts'
import { LocalFolder } from '../../support/providers/local-folder.ts'
import { ask } from '../../support/server/http.ts'

const secret = 'a-secret-of-many-characters'
const given = [
  secret,
  'x',
  '',
  secret.slice(1),
  `${secret}x`,
  'y'.repeat(5000),
  secret.toUpperCase(),
]

it('whole against whole, once a request, before anything of the body is looked at', async () => {
  const { provider } = new LocalFolder()
  const compared: [string, string][] = []
  const inbound = new Inbound({
    secret,
    perMinute: 100,
    open: async () => provider,
    isSame: (one, other) => {
      compared.push([one, other])
      return isSameSecret(one, other)
    },
  })
  const server = createServer((request, response) => {
    const exchange = { request, response, query: new URLSearchParams() }
    inbound.take('raw', request.url?.slice(1) ?? '', exchange).catch((error) => {
      response.statusCode = error instanceof HttpError ? error.status : 500
      response.end(String(request.listenerCount('data')))
    })
  })
  onTestFinished(() => void server.close())
  const url = `http://${await listening(server)}`
  const body = 'From: a@b.co\r\n\r\nHi'
  const statuses = []
  for (const one of given) {
    const { status, text } = await ask(url, { method: 'POST', path: `/${one}`, body })
    statuses.push(status)
    if (status !== 200) expect(text).toBe('0')
  }
  expect(statuses).toEqual([200, ...Array(given.length - 1).fill(403)])
  expect(compared).toEqual(given.map((one) => [one, secret]))
})

it('by hashes of one length, so that no length is told', () => {
  for (const one of given) expect(isSameSecret(one, secret)).toBe(one === secret)
  for (const one of given) expect(isSameSecret(secret, one)).toBe(one === secret)
})
