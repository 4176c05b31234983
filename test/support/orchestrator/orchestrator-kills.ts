/** Kills orchestrators at a moment of each step, alone or with all they have started. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from '../agentmail.ts'
import { loading } from '../loading.ts'
import { type FakeGmail, sendPath } from '../providers/fake-gmail.ts'
import type { KilledHome } from './killed-home.ts'

export interface Moment {
  name: string
  /** Arranges that it is killed then. */
  prepare?(home: KilledHome, kill: () => void): void
  isRelayed?: boolean
  /** What it needs to kill itself. */
  env?: Env
}

/** Who dies: the servers of one that is killed alone see the end of their input. */
export type Victims = 'alone' | 'with its servers'

/** @param call its number, or what it begins with, such as `move_note Approved/` */
const atCall = (side: 'before' | 'after', call: string | number): Moment => ({
  name: `${side} ${call}`,
  isRelayed: true,
  prepare({ home }, kill) {
    writeFileSync(join(home.folder, 'stop'), `${side} ${call}`)
    const watcher = watch(home.folder, () => {
      if (!existsSync(join(home.folder, 'stopped'))) return
      watcher.close()
      kill()
    })
  },
})
export const beforeCall = (call: string | number): Moment => atCall('before', call)
export const afterCall = (call: string | number): Moment => atCall('after', call)

export const afterMs = (ms: number): Moment => ({
  name: `after ${ms} ms`,
  prepare: (_, kill) => void setTimeout(kill, ms),
})

/** @param change of a file, and where: `link Done/re-` is a note that is put there. */
const atFile = (side: 'before' | 'after', change: string): Moment => ({
  name: `${side} ${change}`,
  env: loading(['killed-file'], { KILL_WHEN: `${side} ${change}` }),
})
export const beforeFile = (change: string): Moment => atFile('before', change)
export const afterFile = (change: string): Moment => atFile('after', change)

/** Before its change of a file of this number. */
export const atChange = (count: number): Moment => ({
  name: `before change ${count}`,
  env: loading(['killed-call'], { KILL_AT: String(count) }),
})

export const gmailMoments = (fake: FakeGmail): Record<'lost' | 'taken' | 'answered', Moment> => ({
  lost: {
    name: 'when Gmail has the request, and loses it',
    prepare(_, kill) {
      fake.fail({ path: sendPath, fault: 'reset', times: 1 })
      fake.onRequest = ({ path }) => sendPath.test(path) && kill()
    },
  },
  taken: {
    name: 'when Gmail has taken the mail',
    prepare(_, kill) {
      fake.onSend = kill
    },
  },
  answered: {
    name: 'when Gmail has answered',
    prepare(_, kill) {
      fake.onReply = (path) => sendPath.test(path) && kill()
    },
  },
})

/** Runs one until it is killed at the moment. Gives whether that came before its end. */
export async function killOne(
  home: KilledHome,
  moment: Moment,
  victims: Victims,
  env: Env = {},
): Promise<boolean> {
  for (const name of ['calls', 'stop', 'stopped']) {
    rmSync(join(home.home.folder, name), { force: true })
  }
  const child = home.start({ ...(moment.isRelayed && home.relayed()), ...moment.env, ...env })
  child.stdout.resume()
  child.stderr.resume()
  moment.prepare?.(home, () => (victims === 'alone' ? child.kill('SIGKILL') : killAll(child)))
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode === 'SIGKILL'
}

/** It is stopped first, so that it starts and asks nothing more. */
function killAll(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || !child.kill('SIGSTOP')) return
  for (const group of childrenOf(child.pid)) {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // it has just ended
    }
  }
  child.kill('SIGKILL')
}

/** Of Linux alone. */
function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}
