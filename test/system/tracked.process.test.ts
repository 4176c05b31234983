/** What git tracks, read from its index: the same as git says, in every format that git writes. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { trackedFrom } from '../../src/system/git.ts'
import { git, repository } from '../support/mailbox/tmux.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const mailbox = '.agentmail/mailboxes/eve.jsonl'

function put(root: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
  }
}

/** Files around it in git's order, of which some are the beginning of others. */
const others = [
  '.a',
  '.agent',
  '.link',
  'a/link',
  '.agentm/x',
  '.agentmail.md',
  '.agents/x',
  'a'.repeat(200),
  'ü/x',
]

function filled(...options: string[]): string {
  const root = temporaryFolder()
  git(root, 'init', '--quiet', ...options)
  put(root, mailbox, ...others)
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'all')
  return root
}

function configured(key: string, value: string): string {
  const root = filled()
  git(root, 'config', key, value)
  return root
}

const formats: [string, () => string][] = [
  ['the second format', filled],
  [
    'the third format',
    () => {
      const root = filled()
      git(root, 'update-index', '--skip-worktree', '.a', mailbox)
      return root
    },
  ],
  [
    'the fourth format',
    () => {
      const root = configured('index.version', '4')
      git(root, 'update-index', '--index-version', '4')
      return root
    },
  ],
  [
    'a split index',
    () => {
      const root = filled()
      git(root, 'update-index', '--split-index')
      return root
    },
  ],
  [
    'a split index of the fourth format',
    () => {
      const root = filled()
      git(root, 'update-index', '--index-version', '4', '--split-index')
      return root
    },
  ],
  [
    'a sparse index',
    () => {
      const root = filled()
      git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'ü')
      return root
    },
  ],
  ['hashes of 32 bytes', () => filled('--object-format=sha256')],
  [
    'a linked worktree',
    () => {
      const linked = join(temporaryFolder(), 'linked')
      git(filled(), 'worktree', 'add', '--quiet', linked)
      return linked
    },
  ],
  [
    'a git directory elsewhere',
    () => filled('--separate-git-dir', join(temporaryFolder(), 'elsewhere')),
  ],
]

describe.each(formats)('in %s', (_what, make) => {
  it('a folder is tracked until it is taken out', () => {
    const root = make()
    const folder = join(root, '.agentmail')
    expect(trackedFrom(folder)).toBe(root)
    expect(trackedFrom(join(root, '.agentma'))).toBeUndefined()
    git(root, 'rm', '-r', '--quiet', '--sparse', '--cached', '.agentmail')
    expect(trackedFrom(folder)).toBeUndefined()
    put(root, mailbox)
    git(root, 'add', '--force', '--sparse', mailbox)
    expect(trackedFrom(folder)).toBe(root)
  })
})

describe('a folder', () => {
  it('is not tracked where there is nothing, or something else of the name', () => {
    expect(trackedFrom(join(temporaryFolder(), '.agentmail'))).toBeUndefined()
    const root = repository()
    const folder = join(root, '.agentmail')
    expect(trackedFrom(folder)).toBeUndefined()
    put(root, mailbox, 'docs/.agentmail/x', '.agentmail2/x', 'link/y')
    git(root, 'add', 'docs', '.agentmail2', 'link')
    expect(trackedFrom(folder)).toBeUndefined()
    expect(trackedFrom(join(root, 'docs/.agentmail'))).toBe(root)
    expect(trackedFrom(join(root, 'not/there/.agentmail'))).toBeUndefined()
  })

  it('may have a .gitignore that is tracked', () => {
    const root = repository()
    put(root, '.agentmail/.gitignore')
    git(root, 'add', '.agentmail')
    expect(trackedFrom(join(root, '.agentmail'))).toBeUndefined()
    put(root, '.agentmail/deep/.gitignore')
    git(root, 'add', '.agentmail')
    expect(trackedFrom(join(root, '.agentmail'))).toBe(root)
  })

  it('is tracked as a submodule, as a link, and by the name of another folder', () => {
    const [root, inner] = [repository(), filled()]
    git(
      root,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      inner,
      '.agentmail',
    )
    expect(trackedFrom(join(root, '.agentmail'))).toBe(join(root, '.agentmail'))
    git(root, 'rm', '--quiet', '--cached', '.agentmail')
    expect(trackedFrom(join(root, '.agentmail'))).toBe(join(root, '.agentmail'))
    const other = repository()
    symlinkSync('elsewhere', join(other, '.agentmail'))
    git(other, 'add', '.agentmail')
    expect(trackedFrom(join(other, '.agentmail'))).toBe(other)
    const link = join(temporaryFolder(), 'link')
    symlinkSync(inner, link)
    expect(trackedFrom(join(link, '.agentmail'))).toBe(inner)
  })

  it('is tracked by a repository further out, too', () => {
    const root = repository()
    put(root, 'inner/.agentmail/x')
    git(root, 'add', 'inner')
    git(join(root, 'inner'), 'init', '--quiet')
    expect(trackedFrom(join(root, 'inner/.agentmail'))).toBe(root)
  })

  it('is taken for tracked where the index is in no format that is known', () => {
    const root = filled()
    for (const index of ['DIRC\0\0\0\x09 .agentmail/x', 'DIRC\0\0\0\x07garbage', 'x', '']) {
      writeFileSync(join(root, '.git/index'), index)
      expect(trackedFrom(join(root, '.agentmail'))).toBe(root)
    }
  })

  it('is looked for in the last commit where there is no index', () => {
    const root = filled()
    rmSync(join(root, '.git/index'))
    expect(trackedFrom(join(root, '.agentmail'))).toBe(root)
    expect(trackedFrom(join(root, '.other'))).toBeUndefined()
  })

  it('is looked for without a program that the repository configures', () => {
    const root = filled()
    const [ran, hook] = [join(root, 'ran'), join(root, 'hook')]
    writeFileSync(hook, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 })
    git(root, 'update-index', '--split-index')
    git(root, 'config', 'core.fsmonitor', hook)
    expect(trackedFrom(join(root, '.agentmail'))).toBe(root)
    expect(existsSync(ran)).toBe(false)
    git(root, 'ls-files', '--deleted', '--modified')
    git(root, 'status')
    expect(existsSync(ran)).toBe(true) // what git itself does with it (control)
  })
})
