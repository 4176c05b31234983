/** Whether a mail server answers at a place, and can be trusted with a password; none is given to it here. */
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Bounds, within } from '../../../system/time-limit.ts'
import { certificateRules, type MailServer } from '../../mail-server.ts'
import type { ServerKind } from './found-server.ts'

/** `unsafe`: it answers, but without TLS, or with a certificate that does not fit. */
export type ProbeAnswer = 'safe' | 'unsafe' | 'silent'

const greeting = { imap: /^\* OK/, smtp: /^220/ }
const mostBytes = 16 << 10

export async function probe(
  server: MailServer,
  kind: ServerKind,
  bounds: Bounds,
): Promise<ProbeAnswer> {
  let answer: ProbeAnswer = 'silent'
  let socket: Socket | undefined
  try {
    return await within(bounds, async (signal) => {
      const stop = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('late')))
        if (signal.aborted) reject(new Error('late'))
      })
      stop.catch(() => {}) // it may be late when all is done
      const orLate = <T>(work: Promise<T>) => Promise.race([work, stop])
      if (server.isSecure) {
        socket = await orLate(secured(server, kind))
      } else {
        socket = await orLate(connected(server))
        await orLate(said(socket, greeting[kind]))
        answer = 'unsafe'
        await orLate(askForTls(socket, kind))
        socket = await orLate(secured(server, kind, socket))
      }
      return 'safe' as const
    })
  } catch (error) {
    return isOfCertificate(error) ? 'unsafe' : answer
  } finally {
    socket?.destroy()
  }
}

function connected({ host, port }: MailServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => resolve(socket))
    socket.on('error', reject)
  })
}

async function secured(server: MailServer, kind: ServerKind, plain?: Socket): Promise<Socket> {
  const { host, port } = server
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const where = plain ? { socket: plain } : { host, port }
  const socket = await new Promise<Socket>((resolve, reject) => {
    const socket = connectTls({ ...where, ...servername, ...certificateRules(server) }, () =>
      resolve(socket),
    )
    socket.on('error', reject)
  })
  if (!plain) await said(socket, greeting[kind])
  return socket
}

async function askForTls(socket: Socket, kind: ServerKind): Promise<void> {
  if (kind === 'smtp') {
    socket.write('EHLO [127.0.0.1]\r\n')
    await said(socket, /^250 /)
  }
  socket.write(kind === 'smtp' ? 'STARTTLS\r\n' : 'a STARTTLS\r\n')
  await said(socket, kind === 'smtp' ? /^220 / : /^a OK/i)
}

/** Waits for a line that begins so. A line that can only be a refusal, and the end of the connection, are none. */
function said(socket: Socket, wanted: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (settle: () => void) => {
      socket.off('data', hear)
      socket.off('close', closed)
      settle()
    }
    const closed = () => end(() => reject(new Error('it hung up')))
    const hear = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const lines = text.split('\r\n').slice(0, -1)
      const isRefusal = lines.some((line) => /^(?:[45]\d\d |a (?:NO|BAD)|\* BYE)/i.test(line))
      if (lines.some((line) => wanted.test(line))) end(resolve)
      else if (isRefusal || text.length > mostBytes) closed()
    }
    socket.on('data', hear)
    socket.on('close', closed)
  })
}

const isOfCertificate = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /CERT|SIGNED|ISSUER|SIGNATURE|CRL|ALTNAME/.test(String(error.code))
