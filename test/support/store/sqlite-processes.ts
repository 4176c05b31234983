/** Other processes at a file of SQLite. */
import { onTestFinished } from 'vitest'
import { ended, startWorker } from '../agentmail.ts'

export function startSqlite(path: string, ...args: (string | number)[]) {
  const child = startWorker('sqlite', [path, ...args])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, over: ended(child) }
}
