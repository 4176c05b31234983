/** The process of an MCP server: messages on its standard streams, and an end of it that is certain. */
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { type ServerProgram, startServer } from '../../system/run-program.ts'
import type { ServerLink } from './mcp-connection.ts'

/** One message may be a note or a mail of many megabytes; more than this is no message. */
const maxMessageBytes = 64 << 20
/** What a text about a failure is taken from; it is cleaned and shortened where it is told. */
const maxLineCharacters = 9000
/** For the rest of its output, where another process still holds it open. */
const outputGraceMs = 500
const killGraceMs = 1000

/** The SDK's own transport leaves the children of a server (npx has one) behind, and passes Ctrl-C on to it. */
export class ServerProcess implements ServerLink, Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #program: ServerProgram
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #child: ReturnType<typeof startServer> | undefined
  /** Settled when it, and all that hold its output, are gone. */
  #ended: Promise<void> = Promise.resolve()
  #hasEnded = false
  #tellEnd = () => {}
  #isStopped = false
  #lastLine = ''
  #line = ''

  constructor(program: ServerProgram) {
    this.#program = program
  }

  /** The last line on stderr, as it came. */
  get lastLine(): string {
    return this.#line.trim() === '' ? this.#lastLine : this.#line
  }

  async open(): Promise<Transport> {
    return this
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw new Error('it was stopped before it was started')
      const child = startServer(this.#program)
      this.#child = child
      child.once('spawn', resolve)
      child.once('error', (error) => {
        reject(error)
        this.#end()
      })
      child.stdin.on('error', () => {}) // its end tells
      child.stdout.on('data', (chunk: Buffer) => {
        this.#take(chunk)
        // Else one that floods us would hold up our timers, which are to end it.
        child.stdout.pause()
        setImmediate(() => child.stdout.resume())
      })
      child.stdout.once('end', () => this.stop(outputGraceMs)) // it can answer no more
      child.stderr.setEncoding('utf8').on('data', (text: string) => this.#note(text))
      child.once('exit', () => {
        this.#signal('SIGKILL') // whom it started and left behind
        setTimeout(() => this.#end(), outputGraceMs).unref()
      })
      child.once('close', () => this.#end())
      this.#ended = new Promise((ended) => {
        this.#tellEnd = ended
      })
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#child || this.#hasEnded) throw new Error('the server has ended')
    this.#child.stdin.write(serializeMessage(message))
  }

  close(): Promise<void> {
    return this.stop(killGraceMs)
  }

  /** Ends its input, and it with all it started after `graceMs` at the latest; a signal may break off its work, so that comes late. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    this.#child?.stdin.end()
    if (!(await this.#isGone(graceMs * 0.75))) this.#signal('SIGTERM')
    if (!(await this.#isGone(graceMs * 0.25))) this.#signal('SIGKILL')
    await this.#isGone(killGraceMs)
    this.#end()
  }

  #isGone(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      this.#ended.then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  /** To its whole process group. */
  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // nobody is left
    }
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#child?.stdin.destroy()
    this.#child?.stdout.destroy()
    this.#child?.stderr.destroy()
    this.#tellEnd()
    this.onclose?.()
  }

  #take(chunk: Buffer): void {
    let rest = chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = Buffer.concat([...this.#pieces, rest.subarray(0, end)])
      this.#pieces = []
      this.#pieceBytes = 0
      rest = rest.subarray(end + 1)
      this.#deliver(line.toString())
    }
    this.#pieces.push(rest)
    this.#pieceBytes += rest.length
    if (this.#pieceBytes > maxMessageBytes) {
      this.#pieces = []
      this.#signal('SIGKILL')
    }
  }

  /** What is no message may be a warning that strayed. */
  #deliver(line: string): void {
    if (!line.startsWith('{')) return
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch {
      return
    }
    this.onmessage?.(message)
  }

  #note(text: string): void {
    const lines = (this.#line + text).split('\n')
    this.#line = (lines.pop() ?? '').slice(0, maxLineCharacters)
    this.#lastLine = (lines.findLast((line) => line.trim() !== '') ?? this.#lastLine).slice(
      0,
      maxLineCharacters,
    )
  }
}
