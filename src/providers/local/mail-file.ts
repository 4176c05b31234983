/** A file of local mail as it was read: which mail it is, and what is told of it without its body. */
import type { BigIntStats } from 'node:fs'
import { type HeaderBlock, headersOf, readHeaders } from '../../mime/mail-headers.ts'
import { threadId } from '../../mime/thread.ts'
import { maxMailBytes } from '../raw-mail.ts'
import type { BoxName } from './folder.ts'
import { contentId } from './id.ts'

/** Headers that begin later are not read. */
const maxHeadBytes = 8 << 20

/** Kept in memory and on disk, so texts are short. */
export interface MailFile {
  name: string
  /** Of the file; another one means that it may be another mail. */
  stamp: string
  /** Of the mail in it. */
  content: string
  /** Unix milliseconds. */
  date: number
  subject: string
  sender: string
  recipients: string
  /** Null where the mail itself is all that is known of its thread. */
  thread: string | null
  /** With which it was sent from here. */
  key: string | null
  /** Whether something may be attached. */
  hasParts: boolean
}

/** @param bytes its first ones, at most `maxMailBytes`. */
export function mailFileOf(box: BoxName, name: string, stat: BigIntStats, bytes: Buffer): MailFile {
  const block = readHeaders(bytes.subarray(0, maxHeadBytes))
  const body = bytes.subarray(block.bodyStart ?? maxHeadBytes)
  const headers = headersOf(block)
  return {
    name,
    stamp: fileStamp(stat),
    content: contentId(box, block, body, stat.size > maxMailBytes ? stat.size : 0n),
    date: headers.date ?? Number(stat.mtimeMs),
    subject: shortened(headers.subject, 1000),
    sender: shortened(headers.sender, 500),
    recipients: shortened(headers.recipients, 4000),
    thread: threadId(headers) ?? null,
    key: headers.key ?? null,
    hasParts: mayHaveParts(block.fields),
  }
}

/** The time of the last write can be set back, that of the last change cannot. */
export const fileStamp = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ctimeNs} ${mtimeNs} ${size} ${ino}`

/** Files with the same mail are one mail, told by the one that came first. */
export function byContent(files: Iterable<MailFile>): Map<string, [MailFile, ...MailFile[]]> {
  const mails = new Map<string, [MailFile, ...MailFile[]]>()
  for (const file of files) {
    const alike = mails.get(file.content)
    if (!alike) mails.set(file.content, [file])
    else alike.push(file)
  }
  for (const alike of mails.values()) if (alike.length > 1) alike.sort(firstFirst)
  return mails
}

/** Its stamp begins with the time. */
const firstFirst = (one: MailFile, other: MailFile): number =>
  Number.parseInt(one.stamp, 10) - Number.parseInt(other.stamp, 10) ||
  (one.name < other.name ? -1 : 1)

const mayHaveParts = (fields: HeaderBlock['fields']): boolean =>
  !/^text\/(?:plain|html)\b|^$/i.test(fields.get('content-type') ?? '') ||
  fields.has('content-disposition')

/** Copied, so that the long text is not kept for the sake of its beginning. */
const shortened = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
