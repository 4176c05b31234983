/** Reads the files of settings before a command runs, once a process; what is ignored in them is told on stderr. */
import { Config, useSettingsFiles } from '../config.ts'
import type { AgentMailError } from '../errors.ts'
import { currentFolder } from '../system/post-office-folder.ts'
import { findSettingsFiles } from '../system/settings-files/find.ts'
import { printError } from './output.ts'

/** @returns why the user's own file cannot be taken as it is, if that is so. What can be used of it is. */
export async function loadSettingsFiles(isSilent: boolean): Promise<AgentMailError | undefined> {
  const found = findSettingsFiles(new Config(), folderIfThere())
  if (found.length === 0) return undefined
  const { settingsIn } = await import('../system/settings-files/read.ts')
  const read = found.map(settingsIn)
  useSettingsFiles(read.map(({ file }) => file))
  const error = read.find((one) => one.error)?.error
  const troubles = read.flatMap(({ file }) => file.troubles)
  for (const trouble of isSilent ? [] : troubles) {
    if (trouble !== error?.message) printError(`warning: ${trouble}`)
  }
  return error
}

function folderIfThere(): string | undefined {
  try {
    return currentFolder()
  } catch {
    return undefined
  }
}
