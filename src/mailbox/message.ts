/** A message and its line in a mailbox file, where it is marked as read in place. */
import { AgentMailError } from '../errors.ts'
import { isRecord, jsonOf } from '../system/text.ts'

export interface Message {
  id: string
  from: string
  to: string
  message: string
  read_flag: boolean
  created_at: string
}

/** What a line of a mailbox must hold to be a message; other programs leave out the rest. */
export type StoredMessage = Pick<Message, 'id' | 'from' | 'message'> & Partial<Message>

export const maxMessageBytes = 65_536

export function checkMessage(text: string): void {
  if (text === '') {
    throw new AgentMailError('no_message', 'no message provided', 'Give the text to send.')
  }
  if (Buffer.byteLength(text) > maxMessageBytes) {
    throw new AgentMailError(
      'message_too_large',
      'message exceeds maximum size of 64KB',
      'Put the text in a file and send its path, or send it in parts.',
    )
  }
  if (text.includes('\0')) {
    throw new AgentMailError('invalid_request', 'message must not contain NUL characters')
  }
}

/** One line, with `read_flag` and `created_at` last, so that their place is known from the end. */
export function lineOf(message: Message): Buffer {
  const { id, from, to, message: text, read_flag, created_at } = message
  return Buffer.from(`${JSON.stringify({ id, from, to, message: text, read_flag, created_at })}\n`)
}

/** The message on a line, or nothing if the line is damaged or is no message. */
export function messageOf(bytes: Buffer): StoredMessage | undefined {
  const value = jsonOf(bytes.toString('utf8').replace(/^\uFEFF/, '')) // some editors begin a file so
  return isMessage(value) ? value : undefined
}

function isMessage(value: unknown): value is StoredMessage {
  if (!isRecord(value)) return false
  const { id, from, message } = value
  return typeof id === 'string' && typeof from === 'string' && typeof message === 'string'
}

const white = new Set(Buffer.from(' \t\r'))

export const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => white.has(byte))

const readEnding = /(?<!\\)"read_flag"\s*:\s*true\s*(?:,\s*"created_at"\s*:\s*"[^"\\]*"\s*)?\}\s*$/

/** Tells most read lines by their end, without parsing them: inside a string these quotes would be escaped. */
export const endsAsRead = (lineEnd: string): boolean => readEnding.test(lineEnd)

/**
 * Where the `false` of the line's own `read_flag` stands, to be overwritten with `true `. Nothing
 * if it is not written as a plain `false`: then the line has to be replaced. The line is valid JSON.
 */
export function unreadFlagOffset(bytes: Buffer): number | undefined {
  const text = bytes.toString('latin1')
  let depth = 0
  let offset: number | undefined
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      const end = endOfString(text, index)
      if (depth === 1 && text.slice(index, end) === '"read_flag"') {
        const [rest, isFalse] = /^\s*:\s*(false)?/.exec(text.slice(end, end + 200)) ?? []
        // A repeated key counts as its last value does; without a colon it is a text, not the key.
        if (rest) offset = isFalse ? end + rest.length - isFalse.length : undefined
      }
      index = end - 1
    }
  }
  return offset
}

/** Just after the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === '"') return index + 1
  }
  return text.length
}

export const readMark = Buffer.from('true ')
export const unreadMark = Buffer.from('false')
