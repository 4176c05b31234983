/** Hands one mail to a mail server over a connection of its own: to all recipients or to none. */
import { Readable } from 'node:stream'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import XOAuth2 from 'nodemailer/lib/xoauth2'
import type { AgentMailError } from '../../errors.ts'
import { certificateRules, type MailLogin } from '../mail-server.ts'
import { refusedRecipients, type SmtpFailure, smtpError } from './error.ts'
import type { SmtpServer } from './url.ts'

interface Delivery {
  from: string
  to: string[]
  raw: Buffer
}

/** What the connection writes into the envelope that it is given, while the server answers. */
interface Envelope extends SMTPConnection.Envelope {
  accepted?: string[]
  rejectedErrors?: SMTPConnection.SMTPError[]
}

const longestSetup = 20_000

export function deliver(
  server: SmtpServer,
  { from, to, raw }: Delivery,
  { signal, timeout }: { signal: AbortSignal; timeout: number },
): Promise<void> {
  const connection = connectionTo(server, timeout)
  const envelope: Envelope = { from, to, size: raw.length }
  let isHandedOver = false

  return new Promise<void>((resolve, reject) => {
    const refuse = (error: AgentMailError) => {
      signal.removeEventListener('abort', stop)
      reject(error)
      drop(connection)
    }
    const fail = (failure: SmtpFailure) =>
      refuse(smtpError(failure, { isHandedOver, login: server.login }))
    const stop = () => fail({ code: 'ABORTED' })
    const orFail = (next: () => void) => (failure?: SmtpFailure | null) =>
      failure ? fail(failure) : next()

    const text = new Readable({
      // Called when the server has answered for all recipients and waits for the text. Left to
      // itself, the connection would go on as soon as one of them was taken.
      read() {
        if (envelope.accepted?.length !== to.length) return refuse(refusedIn(envelope))
        isHandedOver = true
        this.push(raw)
        this.push(null)
      },
    })
    const done = () => {
      signal.removeEventListener('abort', stop)
      resolve()
      connection.quit()
      if (connection._socket) connection._socket.unref()
    }
    const send = () =>
      connection.send(envelope, text, (failure) => {
        if (!failure) done()
        else if (failure.command === 'RCPT TO') refuse(refusedIn(envelope))
        else fail(failure)
      })
    const login = () =>
      server.login ? connection.login(loginOf(server.login), orFail(send)) : send()

    connection.on('error', fail)
    connection.once('end', () => fail({ code: 'ECONNECTION' }))
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    else connection.connect(orFail(login))
  })
}

/** Whether a mail server answers and takes the login; no mail is sent. */
export function tryServer(server: SmtpServer, timeout: number): Promise<void> {
  const connection = connectionTo(server, timeout)
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail({ code: 'ETIMEDOUT' }), timeout)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      drop(connection)
    }
    const fail = (failure: SmtpFailure) =>
      end(() => reject(smtpError(failure, { login: server.login })))
    const done = (failure?: SmtpFailure | null) => (failure ? fail(failure) : end(resolve))
    connection.on('error', fail)
    connection.once('end', () => fail({ code: 'ECONNECTION' }))
    connection.connect((failure?: SmtpFailure | null) => {
      if (failure || !server.login) done(failure)
      else connection.login(loginOf(server.login), done)
    })
  })
}

/** A token is used as it is: what renews it is not ours. */
const loginOf = (login: MailLogin): SMTPConnection.AuthenticationType =>
  'token' in login
    ? { user: login.user, oauth2: new XOAuth2({ user: login.user, accessToken: login.token }) }
    : { user: login.user, pass: login.pass }

function connectionTo(server: SmtpServer, timeout: number) {
  const { host, port, isSecure, isLoopback, login } = server
  const setup = Math.min(timeout, longestSetup)
  return new SMTPConnection({
    host,
    port,
    secure: isSecure,
    requireTLS: login !== undefined && !isLoopback && !isSecure,
    tls: certificateRules(server),
    name: '[127.0.0.1]', // the name of this machine is nobody's business
    connectionTimeout: setup,
    greetingTimeout: setup,
    dnsTimeout: setup,
    socketTimeout: timeout,
  })
}

/** At once: what is still to be written is not written any more. */
function drop(connection: SMTPConnection): void {
  connection.close()
  if (connection._socket) connection._socket.destroy()
}

const refusedIn = ({ rejectedErrors = [] }: Envelope) =>
  refusedRecipients(
    rejectedErrors.map(({ recipient = '', responseCode }) => ({
      address: recipient,
      smtp_code: responseCode,
    })),
  )
