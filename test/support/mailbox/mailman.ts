/** A mailman that runs, and what it says. */
import { onTestFinished } from 'vitest'
import { type Env, ended, type Ran, start } from '../agentmail.ts'
import type { AtEnd } from '../at-end.ts'
import { eventually } from '../eventually.ts'
import type { Session } from './tmux.ts'

export const nudge = 'Check your agentmail'

export interface RunningMailman {
  pid: number
  stdout(): string
  /** Waits until it has said this, behind so many letters of all that it says. */
  says(words: string, from?: number): Promise<void>
  ended: Promise<Ran>
  exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
  stopReading(): void
}

export async function startMailman(
  session: Session,
  env: Env = {},
  atEnd: AtEnd = onTestFinished,
): Promise<RunningMailman> {
  const child = start(['mailman'], { cwd: session.repository, env: { ...session.env(0), ...env } })
  atEnd(() => void child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const end = ended(child)
  const says = async (words: string, from = 0) => {
    await eventually(`the mailman says "${words}"`, () => stdout.includes(words, from))
  }
  await says('Mailman started')
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    says,
    ended: end,
    exited: new Promise((resolve) => child.on('exit', resolve)),
    stopReading: () => child.stdout.destroy(),
    kill: (signal) => child.kill(signal),
  }
}

/** Has the agent of a window say that it is ready, and waits until its screen has settled. */
export async function getReady(
  session: Session,
  mailman: RunningMailman,
  window: number,
  name: string,
): Promise<void> {
  const from = mailman.stdout().length
  await session.run(window, ['status', 'ready'])
  await mailman.says(` ${name} is ready\n`, from)
}

/** How often the nudge was typed and entered: `cat` repeats each line that Enter ends. */
export function nudgesIn(session: Session, window: number): number {
  const lines = session.screen(window).split('\n')
  return Math.floor(lines.filter((line) => line === nudge).length / 2)
}

export const nudged = (session: Session, window: number) =>
  eventually(`window ${window} is nudged`, () => nudgesIn(session, window) === 1)
