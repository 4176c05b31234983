/** The driver of SQLite, loaded in the quickest way that there is. */

import { existsSync } from 'node:fs'
import type { DatabaseSync } from '@photostructure/sqlite'
import { addonNear } from '../system/native/near-addon.ts'

interface Driver {
  DatabaseSync: typeof DatabaseSync
}

/** Its own loader takes 5 ms, the file itself half of one; a musl system has another file, which only the loader knows. */
export async function sqliteDriver(): Promise<Driver> {
  const isUsual = process.platform !== 'linux' || !existsSync('/etc/alpine-release')
  return (isUsual && prebuilt()) || import('@photostructure/sqlite')
}

function prebuilt(): Driver | undefined {
  const file = `@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node`
  try {
    const { DatabaseSync } = addonNear<Driver>(file) ?? {}
    return DatabaseSync && { DatabaseSync }
  } catch {
    return undefined
  }
}
