/** Each test has a data folder of its own, and so a database: what it starts meets nobody else's projects. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { beforeEach } from 'vitest'

beforeEach(() => {
  process.env.XDG_DATA_HOME = join(process.env.HOME ?? '', `data-${randomBytes(6).toString('hex')}`)
})
