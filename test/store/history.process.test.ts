/** The audit trail on SQLite. */
import { join } from 'node:path'
import { describe } from 'vitest'
import { noCommitsSuite } from '../suites/history-suite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the audit trail on SQLite', () => {
  noCommitsSuite(async () => join(temporaryFolder(), 'agentmail.db'))
})
