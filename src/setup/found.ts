/** What is installed: the clients, and AgentMail itself. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Places, SetupClient } from './clients/client.ts'

/** Its program is on PATH, or its folder is in the home. */
export const isInstalled = (client: SetupClient, places: Places): boolean =>
  client.programs.some((program) => onPath(program, places.env) !== undefined) ||
  client.folders(places).some(isFolder)

/** `agentmail` where a client will find it, else the path of the program that runs. What npx or npm run put on PATH is gone when they end. */
export function ownProgram({ env }: Places, running: string): string {
  const found = onPath('agentmail', env)
  if (found !== undefined && !/[\\/](_npx|node_modules[\\/]\.bin)[\\/]/.test(found))
    return 'agentmail'
  try {
    return realpathSync(running)
  } catch {
    return running
  }
}

export function onPath(program: string, env: Places['env']): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, program)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false // not ours to see
  }
}
