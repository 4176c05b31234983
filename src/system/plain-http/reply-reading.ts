/** Reads the reply of HTTP/1.1 to one request, as far as it has come. */
import type { HttpReply } from '../http-request.ts'

const maxHeadBytes = 64 << 10

export class ReplyReading {
  /** Whether another may follow on the same connection. */
  isKept = false
  readonly #maxBytes: number
  #head: Head | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #chunks: Buffer[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The reply, once it is whole. Throws where it is none of HTTP. */
  take(bytes: Buffer): HttpReply | undefined {
    if (this.#head && !this.#isChunked) {
      this.#add(bytes)
      return this.#reply()
    }
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    while (!this.#head) {
      const end = this.#bytes.indexOf('\r\n\r\n')
      if (end > maxHeadBytes || (end === -1 && this.#bytes.length > maxHeadBytes)) throw noHttp()
      if (end === -1) return undefined
      const head = headOf(this.#bytes.toString('latin1', 0, end))
      this.#bytes = this.#bytes.subarray(end + 4)
      if (head.status >= 200) this.#head = head // others only announce it
    }
    if (this.#isChunked) return this.#takeChunks()
    this.#add(this.#bytes)
    return this.#reply()
  }

  /** What has no length ends with the connection. */
  ended(): HttpReply | undefined {
    const isOpenEnded = this.#head && !this.#isChunked && this.#wanted === undefined
    return isOpenEnded ? this.#whole() : undefined
  }

  get #isChunked(): boolean {
    return this.#head?.headers['transfer-encoding'] !== undefined
  }

  get #wanted(): number | undefined {
    const { status = 0, headers = {} } = this.#head ?? {}
    if (status === 204 || status === 304) return 0
    const length = headers['content-length']
    if (length === undefined) return undefined
    if (!/^\d{1,15}$/.test(length)) throw noHttp()
    return Number(length)
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length <= this.#maxBytes) this.#chunks.push(bytes)
  }

  #reply(): HttpReply | undefined {
    const wanted = this.#wanted
    const isTooLarge = Math.max(this.#length, wanted ?? 0) > this.#maxBytes
    if (!isTooLarge && (wanted === undefined || this.#length < wanted)) return undefined
    this.isKept = !isTooLarge && this.#length === wanted && !this.#isLast
    return this.#whole(wanted)
  }

  get #isLast(): boolean | undefined {
    return this.#head?.isOld || /close/i.test(this.#head?.headers.connection ?? '')
  }

  #takeChunks(): HttpReply | undefined {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n')
      if (end === -1) return this.#tooLong(this.#bytes.length > maxHeadBytes)
      const [, size] =
        /^([\da-f]{1,8})\s*(?:;|$)/i.exec(this.#bytes.toString('latin1', 0, end)) ?? []
      if (size === undefined) throw noHttp()
      const start = end + 2
      const length = Number.parseInt(size, 16)
      if (length === 0) {
        const rest = this.#bytes.indexOf('\r\n\r\n', end)
        if (rest === -1) return undefined
        this.isKept = rest + 4 === this.#bytes.length && !this.#isLast
        return this.#whole()
      }
      if (this.#length + length > this.#maxBytes) {
        this.#length += length
        return this.#whole()
      }
      if (this.#bytes.length < start + length + 2) return undefined
      this.#add(this.#bytes.subarray(start, start + length))
      this.#bytes = this.#bytes.subarray(start + length + 2)
    }
  }

  #tooLong(isIt: boolean): undefined {
    if (isIt) throw noHttp()
  }

  #whole(length?: number): HttpReply {
    const { status = 0, headers = {} } = this.#head ?? {}
    const body =
      this.#length > this.#maxBytes || (length ?? 0) > this.#maxBytes
        ? undefined
        : Buffer.concat(this.#chunks).subarray(0, length).toString('utf8')
    return { status, headers, body, retryAfterSeconds: undefined }
  }
}

interface Head {
  status: number
  headers: Record<string, string>
  /** In HTTP/1.0 each reply has its own connection. */
  isOld: boolean
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const [, version, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? []
  if (status === undefined) throw noHttp()
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    headers[name.toLowerCase()] = value
  }
  return { status: Number(status), headers, isOld: version === '0' }
}

const noHttp = () => new Error('what it answered is no HTTP')
