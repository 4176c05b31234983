/** agentmail db copy: what it refuses, and that it touches nothing then. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { TestServer } from '../../support/server/server.ts'
import { copy } from '../../support/store/copied-database.ts'
import { filledDatabase, newFile } from '../../support/store/filled-database.ts'

describe('a copy that cannot be', () => {
  it('is refused in words, and nothing is made or changed', async () => {
    const [source, other] = [await filledDatabase(), await filledDatabase()]
    const nowhere = newFile()
    const cases: [string, string, RegExp][] = [
      [source, source, /^error: source and target are the same database/],
      [nowhere, newFile(), /^error: there is no database: .*target\.db\nCheck --from/],
      [source, other, /^error: the target is not empty: there is something in projects/],
      [source, '', /^error: --to names no database/],
      ['', nowhere, /^error: --from names no database/],
      [source, 'postgres://x', /^error: there are no postgres:\/\/ databases/],
    ]
    const bytes = readFileSync(other)
    for (const [from, to, words] of cases) {
      const { stdout, stderr, exitCode } = await copy(from, to)
      expect([stdout, exitCode], stderr).toEqual(['', to.startsWith('postgres') ? 2 : 1])
      expect(stderr).toMatch(words)
    }
    expect(readFileSync(other).equals(bytes)).toBe(true)
    expect(existsSync(nowhere)).toBe(false)
  })

  it('is refused while a server is at work on the target', async () => {
    const target = newFile()
    const server = await TestServer.start({ db: target })
    const { stderr, exitCode } = await copy(await filledDatabase(), target)
    expect([stderr, exitCode]).toEqual([
      expect.stringMatching(/^error: a server is at work on the target/),
      1,
    ])
    await server.stop()
  })
})
