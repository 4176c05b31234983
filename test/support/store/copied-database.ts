/** Copies of databases by `agentmail db copy`, and what they hold. */
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail, type Ran } from '../agentmail.ts'
import { account } from './database-servers.ts'

const copiedSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  tables: z.array(z.strictObject({ name: z.string(), rows: z.int(), sha256: z.string() })),
  copied: z.int(),
  version: z.string().nullable(),
  seconds: z.number(),
})

export const copy = (from: string, to: string, ...more: string[]): Promise<Ran> =>
  agentmail(['db', 'copy', '--from', from, '--to', to, ...more])

export async function copied(from: string, to: string) {
  const { stdout, stderr, exitCode } = await copy(from, to, '--json')
  expect([stderr, exitCode]).toEqual(['', 0])
  expect(stdout).not.toContain(account.password)
  expect(stdout).not.toContain(encodeURIComponent(account.password))
  return copiedSchema.parse(JSON.parse(stdout))
}

export const history = async (db: string): Promise<object[]> => {
  const { stdout } = await agentmail(['history', '--db', db, '--json'])
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(JSON.parse(stdout))
    .map(({ commit: _, ...entry }) => entry)
}
