/** Each test has a data folder of its own, and so a database: what it starts meets nobody else's projects. */
import { join } from 'node:path'
import { beforeEach } from 'vitest'

let count = 0

beforeEach(() => {
  process.env.XDG_DATA_HOME = join(process.env.HOME ?? '', `data-${process.pid}-${++count}`)
})
