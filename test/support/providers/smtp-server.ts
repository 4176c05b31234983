/** A real mail server in this process, which can be told to fail at each step. */
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { type ReceivedMail, receivedMail } from '../email/received-mail.ts'

export type SmtpFault =
  | { at: 'connect' | 'login' | 'sender' | 'recipient' | 'text'; code: number }
  /** Takes the mail, then cuts the connection or says nothing more. */
  | { at: 'reply'; how: 'cut' | 'hang' }
  /** Cuts the connection or says nothing more before it has any of the mail. */
  | { at: 'greeting' | 'envelope'; how: 'cut' | 'hang' }

export interface Arrival {
  from: string
  to: string[]
  raw: Buffer
  isEncrypted: boolean
  user: string | undefined
  hello: string
}

interface Options {
  user: string
  password: string
  secure?: boolean
  withoutTls?: boolean
  withoutPipelining?: boolean
}

export async function startSmtpServer(options: Options) {
  const arrivals: Arrival[] = []
  let fault: SmtpFault | undefined
  let logins = 0
  /** What is done when a mail was taken, before the client hears of it. */
  const hooks: { onArrival: ((arrival: Arrival) => void) | undefined } = { onArrival: undefined }
  const methods = new Set<string>()
  /** Only the first that gets there meets it. */
  const meets = (at: SmtpFault['at'], session: SMTPServerSession, go: (error?: Error) => void) => {
    if (fault?.at !== at) return go()
    const met = fault
    fault = undefined
    if ('code' in met) go(refusal(met.code))
    else if (met.how === 'cut') cut(session)
  }
  const cut = (session: SMTPServerSession) => {
    for (const connection of server.connections) {
      if (connection.session.id === session.id) connection._socket.destroy()
    }
  }
  const server = new SMTPServer({
    secure: options.secure ?? false,
    disabledCommands: options.withoutTls ? ['STARTTLS'] : [],
    logger: false, // else it warns that its own certificate is none to rely on
    hidePIPELINING: options.withoutPipelining ?? false,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    disableReverseLookup: true,
    closeTimeout: 1,
    size: 1_000_000,
    onConnect: (session, done) =>
      meets('connect', session, (error) =>
        error ? done(error) : meets('greeting', session, () => done()),
      ),
    onAuth({ username, password, accessToken, method }, session, done) {
      logins++
      methods.add(method)
      meets('login', session, (error) => {
        // An access token is a password that somebody else renews.
        const isRight = username === options.user && (password ?? accessToken) === options.password
        if (error || !isRight) done(error ?? refusal(535))
        else done(null, { user: username })
      })
    },
    onMailFrom: (_address, session, done) =>
      meets('sender', session, (error) =>
        error ? done(error) : meets('envelope', session, () => done()),
      ),
    onRcptTo({ address }, session, done) {
      if (!address.startsWith('refused')) meets('recipient', session, done)
      else done(refusal(550))
    },
    onData(stream, session, done) {
      buffer(stream).then((raw) => {
        meets('text', session, (error) => {
          if (error) return done(error)
          const { mailFrom, rcptTo } = session.envelope
          const arrival = {
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            raw,
            isEncrypted: session.secure,
            user: session.user,
            hello: session.hostNameAppearsAs,
          }
          arrivals.push(arrival)
          hooks.onArrival?.(arrival)
          meets('reply', session, () => done())
        })
      }, done)
    },
  })
  server.on('error', () => {}) // a client that goes away is no failure of the server
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = addressOf(server.server.address())

  return Object.assign(hooks, {
    port,
    url: `smtp${options.secure ? 's' : ''}://${encodeURIComponent(options.user)}:${encodeURIComponent(options.password)}@127.0.0.1:${port}`,
    arrivals,
    received: (): Promise<ReceivedMail[]> =>
      Promise.all(arrivals.map(({ raw, to }) => receivedMail(raw, to))),
    failNext(next: SmtpFault) {
      fault = next
    },
    /** Whether the fault was met. */
    hasFailed: () => fault === undefined,
    /** How often somebody tried to log in. */
    logins: () => logins,
    /** By which ways they tried: PLAIN, XOAUTH2. */
    methods,
    /** How many clients are connected. */
    clients: () => server.connections.size,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  })
}

/** Its words hold what no error may pass on. */
const refusal = (responseCode: number) =>
  Object.assign(new Error('words of the server with a hunter2-secret'), { responseCode })

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address
}
