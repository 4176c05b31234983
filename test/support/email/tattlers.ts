/** Services that tell everything they were given: over HTTP as Gmail, Google's login and Postmark, over SMTP, and over IMAP. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Reply {
  status: number
  type?: string
  body: string
  headers?: Record<string, string>
}

export interface Heard {
  path: string
  /** Everything that came: its address, its headers, its body. */
  all: string
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Answers every request as it is told to. */
export async function httpTattler(atEnd: (end: () => void) => void) {
  const tattler = {
    url: '',
    heard: [] as Heard[],
    reply: (_: Heard): Reply => ({ status: 500, body: '' }),
  }
  const hear = async (request: IncomingMessage): Promise<Heard> => {
    const path = request.url ?? ''
    const all = [path, ...request.rawHeaders, await text(request)].join('\n')
    return { path, all }
  }
  const server = createServer(async (request, response) => {
    const heard = await hear(request)
    tattler.heard.push(heard)
    const { status, type = 'application/json', body, headers } = tattler.reply(heard)
    response.writeHead(status, { 'content-type': type, ...headers }).end(body)
  })
  tattler.url = `http://127.0.0.1:${await portOf(server)}`
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return tattler
}

/** Takes every command but the login, and repeats in its refusals what it has heard. It may hang up after a while. */
export async function smtpTattler(
  words: string,
  atEnd: (end: () => void) => void,
  hangUpMs?: number,
) {
  let heard = ''
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.write(`220 ${words}\r\n`)
    if (hangUpMs !== undefined) setTimeout(() => socket.destroy(), hangUpMs)
    socket.on('data', (chunk) => {
      const line = chunk.toString()
      heard += line
      const decoded = Buffer.from(line.split(' ').at(-1) ?? '', 'base64').toString()
      if (/^EHLO/i.test(line)) socket.write('250-me\r\n250 AUTH PLAIN LOGIN\r\n')
      else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else
        socket.write(`535 5.7.8 ${words} ${line.trim()} ${decoded.replace(/[\r\n\0]/g, ' ')}\r\n`)
    })
  })
  const port = await portOf(server)
  atEnd(() => server.close())
  return { port, heard: () => heard }
}

/** What an IMAP server says no to, with all that it has heard: the login, whatever comes after it, or it hangs up then. */
export type ImapNo = 'login' | 'commands' | 'goodbye'

export async function imapTattler(words: string, atEnd: (end: () => void) => void) {
  const tattler = { port: 0, no: 'login' as ImapNo, heard: '' }
  const server = createTcpServer((socket) => {
    const ready = 'IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SASL-IR'
    let own = ''
    /** Of a login whose words are still to come. */
    let begun = ''
    socket.on('error', () => {})
    socket.write(`* OK [CAPABILITY ${ready}] ${words}\r\n`)
    socket.on('data', (chunk) => {
      tattler.heard += chunk
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        const spoken = line.split(' ')
        const [tag = '', command = ''] = begun === '' ? spoken : [begun, 'authenticate']
        if (begun === '' && /^authenticate$/i.test(command) && spoken.length === 3) {
          begun = tag
          socket.write('+ \r\n')
          continue
        }
        begun = ''
        const decoded = Buffer.from(line.split(' ').at(-1) ?? '', 'base64').toString()
        own += ` ${line} ${decoded}`
        const told = `${words} ${own}`.replace(/\p{Cc}/gu, ' ')
        const isLogin = /^(login|authenticate)$/i.test(command)
        if (isLogin && tattler.no === 'login')
          socket.write(`* NO [ALERT] ${told}\r\n${tag} NO [AUTHENTICATIONFAILED] ${told}\r\n`)
        else if (isLogin || /^(capability|id|noop|logout)$/i.test(command))
          socket.write(`* OK ${told}\r\n${tag} OK ${told}\r\n`)
        else if (tattler.no === 'goodbye') socket.end(`* BYE [UNAVAILABLE] ${told}\r\n`)
        else socket.write(`* BAD ${told}\r\n${tag} NO [CONTACTADMIN] ${told}\r\n`)
      }
    })
  })
  tattler.port = await portOf(server)
  atEnd(() => server.close())
  return tattler
}
