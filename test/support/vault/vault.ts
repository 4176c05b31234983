/** A vault in a folder of its own. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'

/** A folder with a vault, a cache and a place outside. */
export class TestVault {
  readonly folder: string
  readonly root: string
  readonly outside: string
  readonly env: { VAULT_PATH: string; XDG_CACHE_HOME: string }

  constructor(folder = temporaryFolder()) {
    this.folder = folder
    this.root = join(folder, 'vault')
    this.outside = join(folder, 'outside')
    this.env = { VAULT_PATH: this.root, XDG_CACHE_HOME: join(folder, 'cache') }
    mkdirSync(this.root)
    mkdirSync(this.outside)
  }

  put(path: string, text: string | Buffer): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  text(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Every file below the vault, also those that are no notes. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' }).sort()
  }
}
