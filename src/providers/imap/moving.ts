/** One mail of an account is moved at a time, by all processes here: a server that is asked twice at the same moment leaves it in both places. */
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { holdFile } from '../../system/holder.ts'
import { stateFolder } from '../../system/places.ts'
import { sha256 } from '../../system/text.ts'

const patienceMs = 15_000

export class Moving {
  readonly #path: string

  constructor(config: Config, account: string) {
    this.#path = join(stateFolder(config), 'imap', `${sha256(account).slice(0, 32)}.lock`)
  }

  /** Where nothing can be locked, or another does not let go, it is done all the same. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const fd = await holdFile(this.#path, patienceMs).catch(() => undefined)
    try {
      return await work()
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }
}
