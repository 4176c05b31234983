/** The ids by file name of the mails that were in a box when mails came to be known by their content: they keep them, so nothing is taken for new. */
import { AgentMailError, hasCode } from '../../errors.ts'
import { createIn } from '../../system/files.ts'
import { randomId } from '../../system/random.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { type BoxName, openFolder, withMail } from './folder.ts'

const maxBytes = 256 << 20

/** For the content of each: the ids of the files that had it, the oldest file first. */
export type NameIds = ReadonlyMap<string, string[]>

const fileName = (box: BoxName): string => `ids-${box}.json`

/** Nothing where this box was never looked through since. */
export function readNameIds(root: string, box: BoxName): NameIds | undefined {
  const name = fileName(box)
  const text = openFolder(root, (folder) =>
    folder.stat(name)
      ? (withMail(folder, name, ({ start }) => start(maxBytes).toString('utf8')) ?? '')
      : undefined,
  )
  return text === undefined ? undefined : idsIn(text, name)
}

/** Written once, for good, before any id is told; where another process was faster, what that has written counts. */
export function keepNameIds(root: string, box: BoxName, ids: NameIds): NameIds {
  const name = fileName(box)
  const content = [Buffer.from(`${JSON.stringify(Object.fromEntries(ids), null, 1)}\n`)]
  try {
    openFolder(root, (folder) =>
      createIn(folder, name, { content, temporary: `.${name}.${randomId(8)}` }),
    )
  } catch (error) {
    // In a folder that is only to be read, nothing can be remembered: the content alone counts.
    const cause = error instanceof Error ? error.cause : undefined
    if ([error, cause].some((one) => hasCode(one, 'EROFS', 'EACCES', 'EPERM'))) return new Map()
    throw error
  }
  return readNameIds(root, box) ?? ids
}

function idsIn(text: string, name: string): NameIds {
  const content = jsonOf(text)
  if (!isRecord(content)) throw unreadable(name)
  return new Map(
    Object.entries(content).map(([id, others]) => {
      const areIds = Array.isArray(others) && others.every((other) => typeof other === 'string')
      if (!areIds) throw unreadable(name)
      return [id, others]
    }),
  )
}

const unreadable = (name: string) =>
  new AgentMailError(
    'storage',
    `${name} in the folder of local mail cannot be read`,
    'It says by which ids the oldest mails are known. Put it back as it was, or move it away: those mails may be taken in again then.',
  )
