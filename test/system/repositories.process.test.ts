/** Where a repository is, read from its files: the same as git says, in every layout that git knows. */
import { execFileSync } from 'node:child_process'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { AgentMailError } from '../../src/errors.ts'
import { sharedFolder, worktrees } from '../../src/system/git.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { below, read, refused, unusual } from '../support/system/repositories.ts'

/** What git itself says, and the rule that is made of it. */
function asked(cwd: string): { folder: string; worktrees: string[] } {
  const ask = (...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [isBare, ...folders] = ask(
    ...['rev-parse', '--is-bare-repository', '--git-dir', '--git-common-dir'],
  ).split('\n')
  const [gitDir = '', commonDir = ''] = folders.map((line) => resolve(cwd, line))
  const core = (key: string) => {
    try {
      return ask('config', '--file', join(commonDir, 'config'), '--get', `core.${key}`).trim()
    } catch {
      return ''
    }
  }
  const isPlain = isBare === 'false' && gitDir === commonDir && basename(commonDir) === '.git'
  const main = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
  const worktree = core('worktree')
  const unplain =
    core('bare') === 'true' ? commonDir : worktree ? resolve(commonDir, worktree) : main
  return {
    folder: isPlain ? main : unplain,
    worktrees: ask('worktree', 'list', '--porcelain', '-z')
      .split('\0')
      .filter((line) => line.startsWith('worktree '))
      .map((line) => line.slice('worktree '.length)),
  }
}

async function expectAsAsked(cwd: string): Promise<void> {
  const wanted = asked(cwd)
  expect(await sharedFolder(cwd)).toBe(wanted.folder)
  expect((await worktrees(cwd)).sort()).toEqual(wanted.worktrees.sort())
}

describe('the folder of a repository', () => {
  it.each(read)('is read for %s', async (_what, make) => {
    const cwd = make()
    await expectAsAsked(cwd)
    const { folder } = asked(cwd)
    vi.stubEnv('PATH', '')
    try {
      expect(await sharedFolder(cwd)).toBe(folder)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it.each(unusual)('is as git says for %s', async (_what, make) => {
    await expectAsAsked(make())
  })

  it.each(refused)('is refused as git refuses %s', async (_what, make) => {
    const cwd = make()
    expect(() => asked(cwd)).toThrow()
    const refusal = await sharedFolder(cwd).catch((error: unknown) => error)
    expect(AgentMailError.is(refusal) && refusal.code).toBe('not_in_repository')
    expect(await worktrees(cwd)).toEqual([])
  })

  it('is of the repository that GIT_DIR names', async () => {
    const [here, there] = [repository(), repository()]
    vi.stubEnv('GIT_DIR', join(there, '.git'))
    try {
      await expectAsAsked(here)
      expect(await sharedFolder(here)).toBe(there)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is not looked for above a folder that GIT_CEILING_DIRECTORIES names', async () => {
    const folder = repository()
    const inner = below(folder)
    vi.stubEnv('GIT_CEILING_DIRECTORIES', folder)
    try {
      await expect(sharedFolder(inner)).rejects.toThrow('not in a git repository')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is not taken from one that git distrusts', async () => {
    const folder = repository()
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    try {
      await expect(sharedFolder(folder)).rejects.toMatchObject({
        next: expect.stringContaining('safe.directory'),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
