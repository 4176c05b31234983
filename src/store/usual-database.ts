/** Where the database lies that nobody has named, and the note of a file's server: known without opening any. */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { dataFolder } from '../system/places.ts'

export const usualDatabase = (config: Config): string => join(dataFolder(config), 'agentmail.db')

export const noteOf = (path: string): string => `${path}.server`
