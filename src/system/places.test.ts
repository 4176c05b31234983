import { isAbsolute } from 'node:path'
import { expect, it } from 'vitest'
import { Config } from '../config.ts'
import { cacheFolder, configFolder, stateFolder } from './places.ts'

it('keeps nothing in the current folder, whatever the home is said to be', () => {
  const home = process.env.HOME
  try {
    for (const HOME of ['', 'relative']) {
      process.env.HOME = HOME
      const config = new Config({}, { XDG_STATE_HOME: 'relative', XDG_CONFIG_HOME: '' })
      for (const folder of [cacheFolder, configFolder, stateFolder]) {
        expect(isAbsolute(folder(config))).toBe(true)
      }
    }
  } finally {
    process.env.HOME = home
  }
})
