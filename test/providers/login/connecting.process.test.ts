/** Servers that let nobody in: what is wrong with each is told by its cause, and none of their own words. */
import { createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { createServer, TLSSocket, type TlsOptions } from 'node:tls'
import { expect, it } from 'vitest'
import { tryImap } from '../../../src/providers/imap/client.ts'
import { mailServerUrl } from '../../../src/providers/mail-server.ts'
import { tryServer } from '../../../src/providers/smtp/delivery.ts'
import { failureOf } from '../../support/failure-of.ts'
import { listening } from '../../support/listening.ts'
import { describeWith } from '../../support/parts.ts'
import { type Certificate, certificateFor } from '../../support/providers/login/tls-front.ts'

const login = { user: 'jane', pass: 'secret' }
const limitMs = 2000

/** An address of this machine that is not known as such, unless it says otherwise. */
function at(place: string, scheme: string, host = '0.0.0.0') {
  const port = place.split(':')[1]
  const schemes = { imap: 143, imaps: 993, smtp: 587, smtps: 465 }
  const url = mailServerUrl(`${scheme}://${host}:${port}`, schemes)
  if (!url) throw new Error('no address')
  return url
}

const triedAt = async (place: string, kind: 'imap' | 'smtp', isSecure = true, host?: string) => {
  const server = at(place, isSecure ? `${kind}s` : kind, host)
  const work =
    kind === 'imap'
      ? tryImap({ imap: server, login }, limitMs)
      : tryServer({ ...server, login }, limitMs)
  const error = await failureOf(work)
  expect(JSON.stringify(error)).not.toMatch(/own words/)
  return error instanceof Error ? error.message : ''
}

const unsafe = (why: string) => `there is no safe connection to the mail server: ${why}`
const greets = (socket: Socket) => {
  socket.on('error', () => {})
  socket.write('* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=PLAIN SASL-IR] own words\r\n')
}
const plain = (onClient: (socket: Socket) => void): Server => createPlainServer(onClient)

describeWith('openssl', 'a mail server that lets nobody in', () => {
  it('is told by its certificate', async () => {
    const certificate = certificateFor('localhost')
    const front = async (options: TlsOptions) => {
      const server = createServer(options)
      server.on('tlsClientError', () => {})
      return listening(server)
    }
    const selfSigned = await front(certificate)
    for (const kind of ['imap', 'smtp'] as const) {
      expect(await triedAt(selfSigned, kind)).toBe(unsafe('its certificate is self-signed'))
    }
  })

  it('is told by a port without TLS, a name that nobody has, and a port that nobody listens at', async () => {
    const server = plain(greets)
    const place = await listening(server)
    for (const kind of ['imap', 'smtp'] as const) {
      expect(await triedAt(place, kind)).toBe(unsafe('it speaks no TLS at that port'))
      expect(await triedAt(place, kind, true, 'mail.example.invalid')).toBe(
        'the name of the mail server does not exist',
      )
      expect(await triedAt('x:1', kind)).toBe('nobody listens at the port of the mail server')
      const silent = await listening(plain(() => {}))
      expect(await triedAt(silent, kind, false)).toBe('the mail server did not answer in time')
    }
    const without = plain((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] own words\r\n')
      socket.on('data', (line) => socket.write(`${String(line).split(' ')[0]} OK\r\n`))
    })
    expect(await triedAt(await listening(without), 'imap', false)).toBe(
      unsafe('it has no STARTTLS at that port'),
    )
  })

  it('that hangs up before, with or after TLS is no server without TLS', async () => {
    const bye = '* BYE own words\r\n'
    const certificate = certificateFor('localhost')
    const ways: Record<string, (socket: Socket, tag: string) => void> = {
      'at STARTTLS': (socket) => socket.end(bye),
      'in the handshake': (socket, tag) => socket.end(`${tag} OK\r\n`),
      'after STARTTLS': (socket, tag) => overTls(socket, tag, certificate, (safe) => safe.end(bye)),
      'at the login': (socket, tag) =>
        overTls(socket, tag, certificate, (safe, line) => {
          const [next, command = ''] = line.split(/\s/)
          if (/^(?:AUTHENTICATE|LOGIN)/i.test(command)) return safe.end(bye)
          safe.write(`* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n${next} OK\r\n`)
        }),
    }
    for (const [when, hangUp] of Object.entries(ways)) {
      const server = plain((socket) => {
        greets(socket)
        socket.once('data', (line) => hangUp(socket, String(line).split(' ')[0] ?? ''))
      })
      // Of this machine, whose certificate needs no authority.
      const said = await triedAt(await listening(server), 'imap', false, '127.0.0.1')
      expect([when, said]).toEqual([when, 'the mail server hung up'])
    }
  })
})

function overTls(
  socket: Socket,
  tag: string,
  { key, cert }: Certificate,
  onLine: (safe: TLSSocket, line: string) => void,
): void {
  socket.write(`${tag} OK\r\n`)
  const safe = new TLSSocket(socket, { isServer: true, key, cert })
  safe.on('error', () => {})
  safe.on('data', (line) => onLine(safe, String(line)))
}
