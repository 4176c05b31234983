/** A mailbox on a file of its own, and messages for it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DamagedLine, Mailbox } from '../../../src/mailbox/mailbox.ts'
import { lineOf, type Message } from '../../../src/mailbox/message.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export function openMailbox(content?: string) {
  const folder = temporaryFolder()
  const path = join(folder, 'reader.jsonl')
  const positionPath = join(folder, 'position')
  if (content !== undefined) writeFileSync(path, content)
  const mailbox = new Mailbox({ path, positionPath })
  const takeId = async () => (await mailbox.take())?.id
  /** Everything that is still to come, by id. */
  const takeAll = async () => {
    const ids: string[] = []
    for (let id = await takeId(); id !== undefined; id = await takeId()) ids.push(id)
    return ids
  }
  /** The damage that one call of `take` meets. */
  const damageMet = async () => {
    const met: DamagedLine[] = []
    const taken = await mailbox.take((line) => met.push(line))
    return { id: taken?.id, met }
  }
  return { folder, path, positionPath, mailbox, takeId, takeAll, damageMet, text: () => read(path) }
}

export const read = (path: string) => readFileSync(path, 'utf8')

export const messageWith = (id: string, more: Partial<Message> = {}): Message => ({
  ...{ id, from: 'sender', to: 'reader', message: 'hello', read_flag: false },
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
})

export const line = (id: string, more?: Partial<Message>) =>
  lineOf(messageWith(id, more)).toString()

export const linesIn = (text: string) => text.split('\n').slice(0, -1)
