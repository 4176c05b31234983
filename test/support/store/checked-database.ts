/** What `agentmail db check` says of a database, held against its form. */
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../agentmail.ts'
import { account } from './database-servers.ts'

/** Exactly these fields, whatever the database and its state. */
const schema = z.strictObject({
  database: z.string(),
  state: z.enum(['missing', 'empty', 'older', 'newer', 'unfinished_copy', 'ready']),
  engine: z.string().nullable(),
  schema: z.strictObject({ done: z.int(), known: z.int() }),
  database_id: z.string().nullable(),
  copied_from: z.string().nullable(),
  copying_from: z.string().nullable(),
  read_ms: z.number().nullable(),
  write_ms: z.number().nullable(),
  clock_difference_ms: z.int().nullable(),
  supports: z
    .strictObject({
      group_commit: z.boolean(),
      several_machines: z.boolean(),
      versions: z.boolean(),
    })
    .nullable(),
  versions: z
    .strictObject({
      count: z.int(),
      newest: z.strictObject({ id: z.string(), message: z.string() }).nullable(),
    })
    .nullable(),
  tells_trailing_spaces_apart: z.boolean().nullable(),
  server: z
    .strictObject({
      collation: z.string(),
      is_durable: z.boolean(),
      tls: z.strictObject({ cipher: z.string().nullable() }).nullable(),
      cluster: z
        .strictObject({ nodes: z.int(), status: z.string(), node_state: z.string() })
        .nullable(),
    })
    .nullable(),
  rows: z.record(z.string(), z.int()),
  problems: z.array(z.strictObject({ problem: z.string(), advice: z.string() })),
})

export async function check(db: string) {
  const { stdout, stderr, exitCode } = await agentmail(['db', 'check', '--db', db, '--json'])
  expect(stderr).toBe('')
  expect(stdout).not.toContain(account.password)
  expect(stdout).not.toContain(encodeURIComponent(account.password))
  const found = schema.parse(JSON.parse(stdout))
  expect(exitCode).toBe(found.problems.length > 0 ? 1 : 0)
  return { ...found, problems: found.problems.map(({ problem }) => problem) }
}

/** What a filled database holds. */
export const rows = {
  projects: 7,
  known_agents: 7,
  registered_agents: 7,
  messages: 140,
  changes: 7,
  claims: 14,
  idempotency_keys: 140,
  sends: 20,
}
