/** Attachments: bytes in base64 that the caller gives, or files of the vault. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { AgentMailError, notSent } from '../../errors.ts'
import { checkHeaderText } from '../../mime/header-text.ts'
import type { Attachment } from '../../mime/mail.ts'
import { filePath } from '../../vault/note-path.ts'
import type { Vault } from '../../vault/vault.ts'
import { withVaultErrors } from '../../vault/vault-error.ts'
import type { AttachmentRequest } from './mail-request.ts'

const contentTypes: Record<string, string> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  zip: 'application/zip',
}

/** @param vault throws where there is none. */
export async function readAttachment(
  request: AttachmentRequest,
  vault: () => Vault,
  maxBytes: number,
): Promise<Attachment> {
  if ('content' in request) {
    const content = fromBase64(request.name, request.content)
    return checked({ name: request.name, content, contentType: request.contentType })
  }
  const { path } = request
  const { folders, name } = placeOf(path)
  if (name.startsWith('.')) {
    throw notSent('permission_denied', `files whose names begin with a dot are not sent: ${path}`)
  }
  const content = await withVaultErrors(path, () =>
    vault().within(folders, (found) => {
      const spelled = found?.folder.spelling(name)
      if (!found || spelled === undefined) {
        throw notSent(
          'not_found',
          `there is no file to attach at ${path}`,
          'Give the path of a file in the vault.',
        )
      }
      return readWhole(found.folder.open(spelled, constants.O_RDONLY), path, maxBytes)
    }),
  )
  return checked({
    name: request.name ?? name,
    content,
    contentType: request.contentType ?? contentTypeOf(request.name ?? name),
  })
}

function placeOf(path: string) {
  try {
    return filePath(path)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw notSent(
      error.code,
      error.message,
      'Give the path of a file in the vault, such as Invoices/may.pdf.',
    )
  }
}

const contentTypeOf = (name: string): string =>
  contentTypes[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream'

function checked(attachment: Attachment): Attachment {
  checkHeaderText('the name of an attachment', attachment.name)
  if (/[/\\]/.test(attachment.name)) {
    throw notSent('invalid_request', 'the name of an attachment must not hold a slash')
  }
  if (attachment.name.trim() === '') {
    throw notSent('invalid_request', 'an attachment must have a name')
  }
  if (!/^[\w.+-]+\/[\w.+-]+(\s*;[^\r\n\0]*)?$/.test(attachment.contentType)) {
    throw notSent(
      'invalid_request',
      `the contentType of ${attachment.name} is none`,
      'Give one like application/pdf.',
    )
  }
  return attachment
}

function fromBase64(name: string, text: string): Buffer {
  const digits = text.replace(/\s/g, '')
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(digits) && digits.length % 4 === 0) {
    return Buffer.from(digits, 'base64')
  }
  throw notSent(
    'invalid_request',
    `the content of ${name} is not base64`,
    'Give the whole file in base64; attach larger ones by path.',
  )
}

function readWhole(fd: number, path: string, maxBytes: number): Buffer {
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw notSent('permission_denied', `${path} is not a file`)
    if (stat.size > maxBytes) {
      throw notSent('invalid_request', `${path} is ${stat.size} bytes, which is too large to send`)
    }
    const bytes = Buffer.alloc(stat.size)
    let length = 0
    for (;;) {
      const read = readSync(fd, bytes, length, bytes.length - length, length)
      if (read === 0) return bytes.subarray(0, length)
      length += read
    }
  } finally {
    closeSync(fd)
  }
}
