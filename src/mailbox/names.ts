/** Agent names as file names: any name is a single plain file inside `mailboxes/`. */
import { AgentMailError } from '../errors.ts'

const extension = '.jsonl'
/** File systems allow 255 bytes; this leaves room for our own endings. */
const maxFileName = 230

/**
 * The mailbox file of a name. Letters, digits, `_`, `-` and inner dots stay; every other byte is
 * percent-encoded, so that no name can leave the folder or hide in it.
 *
 * @example mailboxFile('../x') // '%2E%2E%2Fx.jsonl'
 */
export function mailboxFile(name: string): string {
  checkName(name)
  return encode(name) + extension
}

/** The name that a mailbox file belongs to, or nothing if it is nobody's. */
export function nameOfMailboxFile(file: string): string | undefined {
  if (!file.endsWith(extension)) return undefined
  try {
    const name = decodeURIComponent(file.slice(0, -extension.length))
    return mailboxFile(name) === file ? name : undefined
  } catch {
    return undefined
  }
}

/** Refuses what cannot be anybody's name, with a word on why. */
export function checkName(name: string): void {
  const reason =
    name.trim() === ''
      ? 'is empty'
      : /[\0\r\n]/.test(name)
        ? 'contains a line break or NUL'
        : !name.isWellFormed()
          ? 'is not valid Unicode'
          : encode(name).length > maxFileName - extension.length
            ? 'is too long'
            : undefined
  if (reason) {
    throw new AgentMailError(
      'invalid_request',
      `agent name ${reason}: ${JSON.stringify(name.slice(0, 40))}`,
      'Take another, by AGENTMAIL_AGENT or in tmux with agentmail name <name>: at most 224 letters and digits; other characters count 3 to 12 each.',
    )
  }
}

function encode(name: string): string {
  const percentEncode = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
  return name
    .replace(/[^A-Za-z0-9_.-]+/gu, (text) => percentEncode(text).join(''))
    .replace(/^\.+/, (dots) => percentEncode(dots).join(''))
}
