/** A post office with mailboxes, and a client of `agentmail mcp` in it. */
import { join } from 'node:path'
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env } from '../agentmail.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export interface Office {
  /** What stands beside the post office lies here. */
  folder: string
  dir: string
  as(name: string): Env
}

/** A post office at which these agents are known. */
export async function openOffice(...names: string[]): Promise<Office> {
  const folder = temporaryFolder()
  const dir = join(folder, '.agentmail')
  const as = (name: string) => ({ AGENTMAIL_AGENT: name, AGENTMAIL_DIR: dir })
  for (const name of names) await agentmail(['status', 'ready'], { env: as(name) })
  return { folder, dir, as }
}

/** Success: the structured content, and one text item that holds the same JSON. */
export const success = (structured: object) => ({
  structuredContent: structured,
  content: [{ type: 'text', text: JSON.stringify(structured) }],
})

export const failure = (words: RegExp) => ({
  isError: true,
  content: [{ type: 'text', text: expect.stringMatching(words) }],
})

export const sentSchema = z.object({ message_id: z.string() })
export const messageId = expect.stringMatching(/^[0-9A-Za-z]{8}$/)
