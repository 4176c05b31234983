/** Folders for tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that goes with the test. */
export function temporaryFolder(
  atEnd: (end: () => void) => void = onTestFinished,
  parent = tmpdir(),
): string {
  const folder = mkdtempSync(join(parent, 'agentmail-test-'))
  // What a test has started in the background may write there for a moment more.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return folder
}
