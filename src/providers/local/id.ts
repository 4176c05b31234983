/** Ids of local mails: short, safe in every place, and the same as long as the mail is, whatever its file is called. */
import type { HeaderBlock } from '../../mime/mail-headers.ts'
import { sha256 } from '../../system/text.ts'
import type { BoxName } from './folder.ts'

/** Those of the content have 32 digits: of two mails that somebody makes alike, neither may stand for the other. */
const idForm = /^(?:[0-9a-f]{24}|[0-9a-f]{32})$/

export const isLocalId = (text: string): boolean => idForm.test(text)

/** What makes it this mail and no other. Programs that pass it on may add headers, and end its lines as they like. */
const telling = [
  ...['message-id', 'from', 'date', 'subject'],
  ...['content-type', 'content-transfer-encoding'], // by which the same bytes are another text
]

/** @param cutFrom of how many bytes only the first are here; 0 where all are. */
export function contentId(
  box: BoxName,
  { fields }: HeaderBlock,
  body: Buffer,
  cutFrom = 0n,
): string {
  const values = telling.map((name) => (fields.get(name) ?? '').replace(/\s+/g, ' '))
  const parts = [box, ...values, sha256(withPlainEnds(body)), String(cutFrom)]
  return sha256(JSON.stringify(parts)).slice(0, 32)
}

function withPlainEnds(body: Buffer): Buffer {
  let end = body.length
  while (end > 0 && (body[end - 1] === 0x0a || body[end - 1] === 0x0d)) end--
  const text = body.toString('latin1', 0, end)
  return text.includes('\r')
    ? Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1')
    : body.subarray(0, end)
}

/** By which a mail was known when only the name of its file counted. */
export const nameId = (box: BoxName, name: string): string => sha256(`${box}/${name}`).slice(0, 24)
