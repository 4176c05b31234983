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
  /** Waits until it has said this, once more often than at the last call with the same words. */
  says(words: string): Promise<void>
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
  const heard = new Map<string, number>()
  const says = async (words: string) => {
    const times = (heard.get(words) ?? 0) + 1
    heard.set(words, times)
    const said = () => stdout.split(words).length - 1
    await eventually(`the mailman says "${words}"`, () => said() >= times)
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
  await session.run(window, ['status', 'ready'])
  await mailman.says(` ${name} is ready\n`)
}

/** How often the nudge was typed and entered: `cat` repeats each line that Enter ends. */
export function nudgesIn(session: Session, window: number): number {
  const lines = session.screen(window).split('\n')
  return Math.floor(lines.filter((line) => line === nudge).length / 2)
}

export const nudged = (session: Session, window: number) =>
  eventually(`window ${window} is nudged`, () => nudgesIn(session, window) === 1)
