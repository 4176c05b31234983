/** A real Courier, the IMAP server of another house: its program for one connection, behind a front door of ours that knows one password. */
import { spawn } from 'node:child_process'
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { onTestFinished } from 'vitest'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'
import { pathOf } from '../parts.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** `.ci/run` unpacks it: to install it would bring a mail server with it. */
export const courierPart = 'courier/usr/bin/imapd'
const libraries = ['lib', 'lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu']

const password = 'p@ss/w:rd'
const capability =
  'IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE'

export class Courier {
  readonly #folder: string
  readonly #server: Server
  #host = ''
  #delivered = 0

  private constructor(folder: string) {
    this.#folder = folder
    this.#server = createServer((socket) => this.#greet(socket))
  }

  static async start(atEnd: AtEnd = onTestFinished): Promise<Courier> {
    const courier = new Courier(temporaryFolder(atEnd))
    courier.#host = await listening(courier.#server, atEnd)
    return courier
  }

  url(user: string): string {
    return `imap://${[user, password].map(encodeURIComponent).join(':')}@${this.#host}`
  }

  /** Opens the inbox to change it, as every mail program does at first: before that, Courier keeps no numbers of mails. */
  async visit(user: string): Promise<void> {
    const [host = '', port] = this.#host.split(':')
    const auth = { user, pass: password }
    const client = new ImapFlow({ host, port: Number(port), auth, secure: false, logger: false })
    await client.connect()
    await client.mailboxOpen('INBOX')
    await client.logout()
  }

  deliver(user: string, raw: string | Buffer, at?: Date): void {
    const maildir = this.#maildir(user)
    // It takes them in the order of their names.
    const number = String(++this.#delivered).padStart(9, '0')
    const name = `1700000000.M${number}P${process.pid}.test`
    const written = join(maildir, 'tmp', name)
    writeFileSync(written, raw)
    if (at) utimesSync(written, at, at)
    renameSync(written, join(maildir, 'new', name))
  }

  #maildir(user: string): string {
    const maildir = join(this.#folder, user)
    for (const part of ['cur', 'new', 'tmp']) mkdirSync(join(maildir, part), { recursive: true })
    return maildir
  }

  /** What its own front door does, without asking for the accounts of the system. */
  #greet(socket: Socket): void {
    socket.on('error', () => {})
    socket.write(`* OK [CAPABILITY ${capability}] Courier-IMAP ready.\r\n`)
    let text = ''
    const hear = (chunk: Buffer) => {
      text += chunk
      for (;;) {
        const [line, tag = '', command = '', rest = ''] = /^(\S+) (\S+) ?(.*)\r\n/.exec(text) ?? []
        if (line === undefined) return
        text = text.slice(line.length)
        const answer = (words: string) => socket.write(`${tag} ${words}\r\n`)
        if (/^login$/i.test(command)) {
          const words = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g)]
          const [user = '', pass] = words.map(([all, quoted]) => quoted ?? all)
          if (pass !== password) {
            answer('NO Login failed.')
            continue
          }
          socket.off('data', hear)
          return this.#serve(socket, tag, user, text)
        }
        if (/^capability$/i.test(command)) socket.write(`* CAPABILITY ${capability}\r\n`)
        if (/^logout$/i.test(command)) return void socket.end(`* BYE\r\n${tag} OK\r\n`)
        answer(/^(capability|noop)$/i.test(command) ? 'OK' : 'BAD Invalid command')
      }
    }
    socket.on('data', hear)
  }

  #serve(socket: Socket, tag: string, user: string, heard: string): void {
    const program = pathOf(courierPart)
    const unpacked = dirname(dirname(program))
    const child = spawn(program, [this.#maildir(user)], {
      cwd: this.#folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        LD_LIBRARY_PATH: libraries.map((name) => join(unpacked, name)).join(':'),
        HOME: this.#folder,
        AUTHENTICATED: user,
        IMAPLOGINTAG: tag,
        IMAP_CAPABILITY: capability,
        IMAP_KEYWORDS: '1',
        IMAP_USELOCKS: '0',
        IMAP_ENHANCEDIDLE: '0',
        IMAP_CHECK_ALL_FOLDERS: '0',
        IMAP_UMASK: '022',
        IMAP_IDLE_TIMEOUT: '1',
        TCPREMOTEIP: '127.0.0.1',
        TCPREMOTEPORT: '1',
        PROTOCOL: 'IMAP',
      },
    })
    child.on('error', () => socket.destroy())
    child.on('close', () => socket.end())
    child.stdin.on('error', () => {})
    socket.on('close', () => child.kill('SIGKILL'))
    child.stdin.write(heard)
    socket.pipe(child.stdin)
    child.stdout.pipe(socket, { end: false })
  }
}
