/** A little story of two agents, told to a server in parts, and the ways to ask for it afterwards. */
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../agentmail.ts'
import { historySchema } from '../coordination/coordination.ts'
import type { TestServer } from '../server/server.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const entriesSchema = z.array(
  historySchema.element.extend({ commit: z.string().nullable().optional() }),
)
const differencesSchema = z.array(
  z.strictObject({
    change: z.enum(['added', 'removed']),
    what: z.enum(['agent', 'claim', 'message', 'change']),
    at: z.string(),
    agent_id: z.string(),
    agent_name: z.string(),
    file: z.string().nullable(),
    text: z.string().nullable(),
  }),
)

/** The audit trail of a server: by its answers, of which there are many here, or by the command that shows them. */
export function auditOf({ url }: TestServer) {
  const ask = async (path: string, fields: Record<string, string>): Promise<unknown[]> => {
    const response = await fetch(`${url}/api/${path}?${new URLSearchParams(fields)}`)
    const body = await response.text()
    expect(response.status, body).toBe(200)
    return body
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
  }
  return {
    run: (...args: string[]) =>
      agentmail(['history', ...args], { cwd: temporaryFolder(), env: { AGENTMAIL_SERVER: url } }),
    entries: async (as_of = '') => entriesSchema.parse(await ask('history', { as_of })),
    /** Each difference in a line. */
    differences: async (from: string, to: string) =>
      differencesSchema
        .parse(await ask('difference', { from, to }))
        .map(({ change, what, agent_name, file, text }) =>
          [change, what, agent_name, file, text].filter((part) => part !== null).join(' '),
        ),
  }
}

/** Tells the story, calls `afterPart` after each of its three parts, and gives what that gave. */
export async function tellStory<T>(
  server: TestServer,
  afterPart: () => Promise<T>,
): Promise<[T, T, T]> {
  const ann = await server.register('ann')
  await server.call('claim_files', { agent_id: ann, files: ['a.ts', 'b.ts'] })
  const first = await afterPart()
  const bob = await server.register('bob', 'reviewer')
  await server.call('send_message', { agent_id: ann, subject: 'hello', body: 'bob' })
  await server.call('announce_change', { agent_id: ann, file_path: 'a.ts', summary: 'better' })
  const second = await afterPart()
  await server.call('release_files', { agent_id: ann, files: ['a.ts'] })
  await server.call('claim_files', { agent_id: bob, files: ['a.ts'] })
  return [first, second, await afterPart()]
}

/** How many entries the journal has after each part. */
export const entriesAfter = [3, 6, 8] as const

/** Asks for the story by the three moments after its parts, however they are named. */
export async function expectStory(
  audit: ReturnType<typeof auditOf>,
  moments: [string, string, string],
): Promise<void> {
  const [first, second, third] = moments
  const [all, asOf, ...differences] = await Promise.all([
    audit.entries(),
    Promise.all(moments.map((moment) => audit.entries(moment))),
    audit.differences(first, second),
    audit.differences(second, third),
    audit.differences(third, first),
    audit.differences(third, third),
  ])
  expect(asOf).toEqual(entriesAfter.map((count) => all.slice(0, count)))
  const said = '[broadcast] hello\nbob'
  expect(differences).toEqual([
    ['added agent bob reviewer', `added message ann ${said}`, 'added change ann a.ts better'],
    ['removed claim ann a.ts', 'added claim bob a.ts'],
    [
      'added claim ann a.ts',
      'removed agent bob reviewer',
      `removed message ann ${said}`,
      'removed change ann a.ts better',
      'removed claim bob a.ts',
    ],
    [],
  ])
}
