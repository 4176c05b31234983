/** What was read of the files in a box, kept beside it: another process reads only those that changed since. To lose it costs time alone. */
import { replaceIn } from '../../system/files.ts'
import { randomId } from '../../system/random.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { type BoxName, openFolder, withMail } from './folder.ts'
import type { MailFile } from './mail-file.ts'

const maxBytes = 256 << 20
/** To be raised when a mail is read in another way. */
const version = 2

const fileName = (box: BoxName): string => `.files-${box}.json`

/** None where there is nothing to go by. */
export function keptFiles(root: string, box: BoxName): Map<string, MailFile> {
  const text = openFolder(root, (folder) =>
    withMail(folder, fileName(box), ({ start }) => start(maxBytes).toString('utf8')),
  )
  const content = jsonOf(text ?? '')
  if (!isRecord(content) || content.version !== version || !Array.isArray(content.files)) {
    return new Map()
  }
  return new Map(content.files.filter(isMailFile).map((file) => [file.name, file]))
}

/** What cannot be kept is read again. */
export function keepFiles(root: string, box: BoxName, files: Iterable<MailFile>): void {
  const name = fileName(box)
  const content = [Buffer.from(JSON.stringify({ version, files: [...files] }))]
  try {
    openFolder(root, (folder) =>
      replaceIn(folder, name, { content, temporary: `${name}.${randomId(8)}` }),
    )
  } catch {}
}

const texts = ['name', 'stamp', 'content', 'subject', 'sender', 'recipients']

const isMailFile = (value: unknown): value is MailFile =>
  isRecord(value) &&
  texts.every((field) => typeof value[field] === 'string') &&
  typeof value.date === 'number' &&
  typeof value.hasParts === 'boolean' &&
  [value.thread, value.key].every((text) => text === null || typeof text === 'string')
