/** Pruning a SQLite file under a server that writes. */
import { describe, vi } from 'vitest'
import { besideServerSuite } from '../../suites/pruning-beside-server.ts'
import { isLong } from '../../support/parts.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

vi.setConfig({ testTimeout: 300_000 })

describe('pruning beside a server on SQLite', () => {
  besideServerSuite(async () => newPath(), isLong ? 100_000 : 8000)
})
