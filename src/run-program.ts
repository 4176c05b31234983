/** Runs git and tmux: no shell, arguments as they are, and always a time-out. */
import { execFile } from 'node:child_process'

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
