/** A raw mail as the tree of parts that Gmail's API gives. */

export interface MimePart {
  partId: string
  mimeType: string
  filename: string
  headers: { name: string; value: string }[]
  body: { size: number; data?: string; attachmentId?: string }
  parts?: MimePart[]
}

/** @param keep says where a body is kept that is not given with its part; nothing for the others. */
export function mimeTree(
  raw: Buffer,
  keep: (bytes: Buffer, part: MimePart) => string | undefined,
  partId = '',
): MimePart {
  // One byte is one character here.
  const text = raw.toString('latin1')
  const gap = /\r?\n\r?\n/.exec(text)
  const head = gap ? text.slice(0, gap.index) : text
  const body = gap ? text.slice(gap.index + gap[0].length) : ''
  const headers = head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .filter((line) => line.includes(':'))
    .map((line) => ({
      name: line.slice(0, line.indexOf(':')),
      value: Buffer.from(line.slice(line.indexOf(':') + 1).trim(), 'latin1').toString(),
    }))
  const headerOf = (name: string) => headers.find((h) => h.name.toLowerCase() === name)?.value ?? ''
  const type = headerOf('content-type') || 'text/plain'
  const mimeType = type.split(';')[0]?.trim().toLowerCase() ?? ''
  const filename = /filename="?([^";]+)/i.exec(headerOf('content-disposition'))?.[1] ?? ''
  const part: MimePart = { partId, mimeType, filename, headers, body: { size: 0 } }
  const boundary = /boundary="?([^";]+)/i.exec(type)?.[1]
  const childId = (index: number) => (partId === '' ? `${index}` : `${partId}.${index}`)
  if (mimeType.startsWith('multipart/') && boundary) {
    const pieces = `\r\n${body}`.split(`\n--${boundary}`).slice(1)
    part.parts = pieces
      .filter((piece) => !piece.startsWith('--'))
      .map((piece, index) => {
        const bytes = Buffer.from(piece.replace(/^[^\n]*\n/, '').replace(/\r$/, ''), 'latin1')
        return mimeTree(bytes, keep, childId(index))
      })
    return part
  }
  const bytes = decoded(body, headerOf('content-transfer-encoding').toLowerCase())
  const attachmentId = keep(bytes, part)
  part.body = attachmentId
    ? { size: bytes.length, attachmentId }
    : { size: bytes.length, data: bytes.toString('base64url') }
  return part
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const text = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}
