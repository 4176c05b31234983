/** A vault: a folder of Markdown notes, and the way to each of them. */
import { realpathSync, statSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { Folder } from './folder.ts'

export class Vault {
  /** Its path without links. */
  readonly root: string
  /** Is told of each note that was written, moved or removed here. */
  onChange: (path: string) => void = () => {}

  constructor(root: string) {
    this.root = root
  }

  /** The vault that the settings name; it must be there. */
  static named(config: Config): Vault {
    const path = config.text('vault')
    if (path === undefined) throw misconfigured('VAULT_PATH is not set, so there is no vault')
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      throw misconfigured(`the vault is not a folder: ${path}`)
    }
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

  /** The caller closes it. */
  enter(folders: string[], { isMade = false } = {}): Found | undefined {
    let folder: Folder | undefined = Folder.root(this.root)
    const spelled: string[] = []
    for (const wanted of folders) {
      const parent: Folder = folder
      try {
        const name = parent.spelling(wanted) ?? wanted
        folder = isMade ? parent.make(name) : parent.enter(name)
        spelled.push(name)
      } finally {
        parent.close()
      }
      if (!folder) return undefined
    }
    return { folder, folders: spelled }
  }
}

/** A folder that is there, and how the names on the way are spelled. */
export interface Found {
  folder: Folder
  folders: string[]
}

const misconfigured = (message: string) =>
  new AgentMailError(
    'server_config',
    message,
    'Set VAULT_PATH to the folder of your notes; agentmail vault init <path> makes one.',
  )
