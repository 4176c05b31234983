/** Runs git, tmux and the browser: no shell, arguments as they are, and nothing that is waited for without end. */
import { execFile, spawn } from 'node:child_process'

export interface ProgramResult {
  /** `missing`: not on PATH. `timeout`: killed because it did not answer. */
  outcome: 'ok' | 'failed' | 'missing' | 'timeout'
  stdout: string
  stderr: string
}

export function runProgram(
  program: 'git' | 'tmux',
  args: string[],
  options: { cwd?: string } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const limits = { timeout: 5000, maxBuffer: 16 << 20, killSignal: 'SIGKILL' as const }
    execFile(program, args, { ...limits, ...options }, (error, stdout, stderr) => {
      const outcome = !error
        ? 'ok'
        : error.killed
          ? 'timeout'
          : error.code === 'ENOENT'
            ? 'missing'
            : 'failed'
      resolve({ outcome, stdout, stderr })
    })
  })
}

/** Opens a page, where that can be done. The browser may be started by this, and stays. */
export function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' })
  child.on('error', () => {}) // the user has the address, too
  child.unref()
}
