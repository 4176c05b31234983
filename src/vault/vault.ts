/** A vault: a folder of Markdown notes, and the way to each of them. */
import { realpathSync, statSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { Folder, type FolderOptions } from '../system/folder.ts'
import type { Lock } from '../system/lock.ts'

/** Where mails, what is answered and what was done are: nobody but their owner reads what is made in them. */
export const workFolders = ['Needs_Action', 'Drafts', 'Approved', 'Done', 'Logs']

/** The folder in the vault's root on the way to a note. */
export const isWorkFolder = (top = ''): boolean =>
  workFolders.some((name) => name.toLowerCase() === top.toLowerCase())

interface VaultOptions extends FolderOptions {
  /** Tests switch the lock off to show what it holds together. */
  lock?: Lock
}

export class Vault {
  /** Its path without links. */
  readonly root: string
  /** Is told of each note that was written, moved or removed here. */
  onChange: (path: string) => void = () => {}
  readonly #options: VaultOptions

  constructor(root: string, options: VaultOptions = {}) {
    this.root = root
    this.#options = options
  }

  /** The vault that the settings name; it must be there. */
  static named(config: Config): Vault {
    const path = config.text('vault')
    if (path === undefined) throw misconfigured('VAULT_PATH is not set, so there is no vault')
    const there = statSync(path, { throwIfNoEntry: false })
    if (!there) throw misconfigured(`there is no vault at ${path}`)
    if (!there.isDirectory()) throw misconfigured(`the vault is not a folder: ${path}`)
    return new Vault(realpathSync(path))
  }

  /** Runs `work` in a folder of the vault, or with nothing where there is none. */
  async within<T>(
    folders: string[],
    work: (found: Found | undefined) => T | Promise<T>,
  ): Promise<T> {
    const found = this.enter(folders)
    try {
      return await work(found)
    } finally {
      found?.folder.close()
    }
  }

  /** A folder that the caller closes, or nothing where there is none. */
  enter(folders: string[]): Found | undefined {
    return this.#walk(folders, (parent, name) => parent.enter(name))
  }

  /** The same, but folders that are not there are made. */
  make(folders: string[]): Found {
    const mode = isWorkFolder(folders[0]) ? 0o700 : 0o777
    const found = this.#walk(folders, (parent, name) => parent.make(name, mode))
    if (found) return found
    throw new Error('a folder that was made is not there')
  }

  #walk(
    folders: string[],
    step: (parent: Folder, name: string) => Folder | undefined,
  ): Found | undefined {
    let folder = this.open()
    const spelled: string[] = []
    for (const wanted of folders) {
      const parent = folder
      try {
        const name = parent.spelling(wanted) ?? wanted
        const next = step(parent, name)
        if (!next) return undefined
        folder = next
        spelled.push(name)
      } finally {
        parent.close()
      }
    }
    return { folder, folders: spelled, isPrivate: isWorkFolder(spelled[0]) }
  }

  /** What notes are locked with; nothing for the system's own lock. */
  get lock(): Lock | undefined {
    return this.#options.lock
  }

  /** The vault itself, open; the caller closes it. */
  open(): Folder {
    try {
      return Folder.root(this.root, this.#options)
    } catch (cause) {
      throw new AgentMailError(
        'storage',
        'the vault is not there any more',
        'Put it back where it was, or set VAULT_PATH to where it is now and start again.',
        { cause },
      )
    }
  }
}

/** A folder that is there, and how the names on the way are spelled. */
export interface Found {
  folder: Folder
  folders: string[]
  /** Whether what is written there is for its owner alone. */
  isPrivate: boolean
}

const misconfigured = (message: string) =>
  new AgentMailError(
    'server_config',
    message,
    'Set VAULT_PATH to the whole path of the folder with your notes (only a shell knows what ~ is); agentmail vault init <path> makes one.',
  )
