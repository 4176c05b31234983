/** The audit trail as every database tells it: as it stood at a time, and what differs between two. */
import { expect, it } from 'vitest'
import { auditOf, expectStory, tellStory } from '../support/email/audit.ts'
import { TestServer } from '../support/server/server.ts'

/** A server that makes commits every so many seconds, where its database knows them. */
export const startCommitting = (db: string, seconds = 3600) =>
  TestServer.start({ db, env: { AGENTMAIL_DOLT_COMMIT_SECONDS: `${seconds}` } })

/** The time of the last entry. */
const lastTime = async (server: TestServer) => (await auditOf(server).entries()).at(-1)?.at ?? ''

export function timesSuite(newDatabase: () => Promise<string>): void {
  it('is told as it stood at a time, and by what differs between two', async () => {
    const server = await startCommitting(await newDatabase())
    const moments = await tellStory(server, () => lastTime(server))
    await expectStory(auditOf(server), moments)
  })
}

export function noCommitsSuite(newDatabase: () => Promise<string>): void {
  timesSuite(newDatabase)

  it('refuses the name of a commit in words, since there are none', async () => {
    const { run, entries } = auditOf(await startCommitting(await newDatabase()))
    const hash = 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3'
    for (const args of [
      ['--as-of', hash],
      ['--as-of', 'HEAD'],
      ['--diff', hash, 'HEAD'],
    ]) {
      const { exitCode, stderr } = await run(...args)
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(/time/) })
    }
    expect(await entries()).toEqual([])
  })
}
