/** Takes in a mail that somebody brings: written to inbox/, complete or not at all, and once however often it is brought. */
import { AgentMailError, hasCode } from '../../errors.ts'
import { readHeaders } from '../../mime/mail-headers.ts'
import { createIn } from '../../system/files.ts'
import { randomId } from '../../system/random.ts'
import { sha256 } from '../../system/text.ts'
import { openBox } from './folder.ts'
import { contentId } from './id.ts'

/** Tells whether it is new. Its file is named by what makes it this mail, so that whoever comes second finds the name taken. */
export function writeReceived(
  root: string,
  { raw, identity }: { raw: Buffer; identity?: string },
): boolean {
  const block = readHeaders(raw)
  if (block.fields.size === 0) throw noMail()
  const body = raw.subarray(block.bodyStart ?? raw.length)
  const id = identity === undefined ? contentId('inbox', block, body) : sha256(identity)
  const name = `received-${id.slice(0, 32)}.eml`
  const folder = openBox(root, 'inbox')
  try {
    // Nobody takes what begins with a dot for a mail.
    const file = { content: [raw], temporary: `.${name}.${randomId(8)}` }
    if (createIn(folder, name, file)) return true
    folder.sync() // whoever was first may have been killed before it was there for good
    return false
  } catch (error) {
    throw notWritten(error)
  } finally {
    folder.close()
  }
}

const noMail = () =>
  new AgentMailError(
    'invalid_request',
    'this is no mail: it does not begin with headers',
    'Send all of the mail, as it came over the wire.',
  )

function notWritten(cause: unknown): AgentMailError {
  const isFull = hasCode(cause, 'ENOSPC', 'EDQUOT', 'EFBIG')
  return new AgentMailError(
    'storage',
    `the mail was not taken in: ${isFull ? 'the disk is full' : 'inbox/ cannot be written to'}`,
    isFull
      ? 'Make room on the disk of AGENTMAIL_MAIL_DIR.'
      : 'See that AGENTMAIL_MAIL_DIR names a folder that may be written to.',
    { cause },
  )
}
