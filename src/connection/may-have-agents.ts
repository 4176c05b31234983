/** Whether anybody can be registered at all: a look at the settings and at two paths, so that a quick command stays quick. */
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { noteOf, usualDatabase } from '../store/usual-database.ts'

export function mayHaveAgents(config: Config): boolean {
  const named = config.text('db')
  const isFar = config.text('server') !== undefined || /^\w+:\/\//.test(named?.trim() ?? '')
  const path = named ?? usualDatabase(config)
  return isFar || existsSync(path) || existsSync(noteOf(path))
}
