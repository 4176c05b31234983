/** Where a database may be that an older version left in the repository: a look at paths, so that what to say of one is loaded only where there is one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { postOfficeFolder } from '../../system/post-office-folder.ts'

export async function oldDatabasePath(config: Config): Promise<string | undefined> {
  const folder = await postOfficeFolder(config).catch(() => undefined)
  const path = folder && join(folder, 'agentmail.db')
  return path && existsSync(path) ? path : undefined
}
