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
  options: { timeoutMs?: number; cwd?: string } = {},
): Promise<ProgramResult> {
  const { timeoutMs = 5000, cwd } = options
  return new Promise((resolve) => {
    const settings = { timeout: timeoutMs, maxBuffer: 16 << 20, killSignal: 'SIGKILL' as const }
    execFile(program, args, cwd ? { ...settings, cwd } : settings, (error, stdout, stderr) => {
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
