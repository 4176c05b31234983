/** Text that is piped to a command. */
import { fstatSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { maxMessageBytes } from '../mailbox/message.ts'
import { log } from '../system/log.ts'

/**
 * What is piped in, without its last newline; nothing if that is empty or nobody pipes. A pipe of
 * a shell is waited for to its end. A socket is what programs give their children by default and
 * often leave open: where there is a word to send, one that stays silent is given up.
 */
export async function pipedText(
  hasWord: boolean,
  maxBytes = maxMessageBytes,
): Promise<string | undefined> {
  const kind = inputKind()
  if (!kind) return undefined
  const silence =
    hasWord && kind === 'socket'
      ? setTimeout(() => process.stdin.destroy(), 1000)
      : setTimeout(() => log('waiting for the message on standard input'), 5000)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(silence)
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes + 2) break // too large, as whoever uses it will say
    }
  } catch {
    if (size === 0) return undefined // given up, or closed
    throw new AgentMailError(
      'invalid_request',
      'standard input failed before its end',
      'Try again.',
    )
  } finally {
    clearTimeout(silence)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return text === '' ? undefined : text
}

function inputKind(): 'pipe' | 'socket' | undefined {
  try {
    const stat = fstatSync(0)
    if (stat.isSocket()) return 'socket'
    return stat.isFIFO() || stat.isFile() ? 'pipe' : undefined
  } catch {
    return undefined
  }
}
