/** Repositories of every kind that git knows, usual, unusual, and refused. */
import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { git, repository } from '../mailbox/tmux.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const addition = (folder: string, text: string) =>
  writeFileSync(join(folder, 'config'), `\n${text}\n`, { flag: 'a' })

export function below(folder: string): string {
  const path = join(folder, 'some/where')
  mkdirSync(path, { recursive: true })
  return path
}

function linked(from: string): string {
  const parent = temporaryFolder()
  const folder = join(parent, basename(parent)) // the name of its branch, too
  git(from, 'worktree', 'add', '--quiet', folder)
  return folder
}

function bare(name = 'project.git'): string {
  const folder = join(temporaryFolder(), name)
  git(repository(), 'clone', '--quiet', '--bare', '.', folder)
  return folder
}

function separate(): { folder: string; gitDir: string } {
  const [folder, gitDir] = [join(temporaryFolder(), 'work'), join(temporaryFolder(), 'kept')]
  git('/', 'init', '--quiet', '--separate-git-dir', gitDir, folder)
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'start')
  return { folder, gitDir }
}

function submodule(): string {
  const outer = repository()
  git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository(), 'sub')
  return join(outer, 'sub')
}

/** What no git is needed for. */
export const read: [string, () => string][] = [
  ['a checkout', repository],
  ['a folder below', () => below(repository())],
  ['a linked worktree', () => linked(repository())],
  ['a folder below a linked worktree', () => below(linked(repository()))],
  ['a worktree linked to a linked one', () => linked(linked(repository()))],
  ['a worktree of a bare repository', () => linked(bare())],
  ['a worktree of a bare repository that is named .git', () => linked(bare('.git'))],
  ['a bare repository that is named .git, from beside it', () => dirname(bare('.git'))],
  ['a git directory elsewhere', () => separate().folder],
  ['a worktree linked to one with its git directory elsewhere', () => linked(separate().folder)],
  ['a submodule', submodule],
  ['a worktree linked to a submodule', () => linked(submodule())],
  [
    'a repository without a configuration',
    () => {
      const folder = repository()
      rmSync(join(folder, '.git/config'))
      return folder
    },
  ],
  [
    'a head that is on no branch',
    () => {
      const folder = repository()
      git(folder, 'checkout', '--quiet', '--detach')
      return folder
    },
  ],
  [
    'a linked worktree in a folder that was moved',
    () => {
      const folder = repository()
      const place = linked(folder)
      renameSync(place, `${place}-moved`)
      return `${place}-moved`
    },
  ],
  [
    'a worktree that is gone',
    () => {
      const folder = repository()
      rmSync(linked(folder), { recursive: true })
      linked(folder)
      return folder
    },
  ],
  [
    'core.worktree',
    () => {
      const folder = repository()
      addition(join(folder, '.git'), `[core]\n  worktree = ${temporaryFolder()}`)
      return folder
    },
  ],
  [
    'a worktree linked to one with core.worktree',
    () => {
      const folder = repository()
      const place = linked(folder)
      addition(join(folder, '.git'), `[core]\n  worktree = ${temporaryFolder()}`)
      return place
    },
  ],
]

/** What git is asked for. */
export const unusual: [string, () => string][] = [
  ['a bare repository', bare],
  ['the git directory of a checkout', () => join(repository(), '.git')],
  ['a folder of the git directory', () => join(repository(), '.git/hooks')],
  ['the git directory of a linked worktree', () => join(dirOf(linked(repository())))],
  [
    'a git directory behind a link',
    () => {
      const { folder, gitDir } = separate()
      rmSync(join(folder, '.git'))
      symlinkSync(gitDir, join(folder, '.git'))
      return folder
    },
  ],
  [
    'a folder below one with an empty .git',
    () => {
      const inner = below(repository())
      mkdirSync(join(inner, '.git'))
      return inner
    },
  ],
  ...[
    ['a configuration of each worktree', '[extensions]\n  worktreeConfig = true'],
    ['a value in quotes', '[core]\n  worktree = "/tmp"'],
    ['a worktree of a bare one', '[core]\n  bare = true\n  worktree = /tmp'],
    ['a key beside its section', '[core] bare = true'],
    ['another spelling of yes', '[core]\n  bare = yes'],
    ['a comment behind a value', '[core]\n  bare = true ; indeed'],
    ['a line that goes on', '[alias]\n  x = "a \\\n  b"\n[core]\n  bare = true'],
  ].map(([what = '', text = '']): [string, () => string] => [
    what,
    () => {
      const folder = repository()
      addition(join(folder, '.git'), text)
      return folder
    },
  ]),
]

const dirOf = (folder: string) => git(folder, 'rev-parse', '--absolute-git-dir').replace(/\n$/, '')

/** A repository with this at the end of its configuration. */
function configured(text: string): string {
  const folder = repository()
  addition(join(folder, '.git'), text)
  return folder
}

/** What both refuse. */
export const refused: [string, () => string][] = [
  ['no repository', temporaryFolder],
  [
    'a git directory that is gone',
    () => {
      const { folder, gitDir } = separate()
      rmSync(gitDir, { recursive: true })
      return folder
    },
  ],
  ['a format that is not known', () => configured('[core]\n  repositoryformatversion = 99')],
  [
    'an extension that is not known',
    () => configured('[core]\n  repositoryformatversion = 1\n[extensions]\n  odd = 1'),
  ],
  ['a worktree that is not there', () => configured('[core]\n  worktree = /tmp/not/there')],
  ['a configuration that is none', () => configured('[core')],
  ...(process.getuid?.() === 0 ? ownedByOthers() : []),
]

/** Only root can give a folder away. */
function ownedByOthers(): [string, () => string][] {
  const given = (folder: string, path: string) => {
    chownSync(path, 12_345, 12_345)
    return folder
  }
  const withPlace = (path: string) => {
    const folder = repository()
    return given(folder, join(folder, path))
  }
  return [
    ['a checkout of somebody else', () => withPlace('.')],
    ['a git directory of somebody else', () => withPlace('.git')],
    [
      'a linked worktree of somebody else',
      () => {
        const folder = linked(repository())
        return given(folder, folder)
      },
    ],
    [
      'a file .git of somebody else',
      () => {
        const folder = linked(repository())
        return given(folder, join(folder, '.git'))
      },
    ],
    [
      'a git directory of a linked worktree, of somebody else',
      () => {
        const folder = linked(repository())
        return given(folder, dirOf(folder))
      },
    ],
  ]
}
