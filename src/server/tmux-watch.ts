/** Notices that the tmux server or pane this process belongs to is gone, without asking tmux while all is well. */
import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { ownPane, serverPid, viewFrom } from '../mailbox/tmux.ts'

const intervalMs = 300

/** Calls `onLost` once when tmux is gone. Outside tmux it does nothing. */
export function watchTmux(config: Config, onLost: () => void): void {
  const pane = ownPane(config)
  const server = serverPid(config)
  if (!pane || !server) return
  let watched: number[] | undefined
  let asking = false
  const timer = setInterval(async () => {
    if (asking || watched?.every(isAlive)) return
    asking = true
    try {
      const { panePid } = await viewFrom(pane)
      // Neither is visible where tmux runs in another PID namespace: then only a call notices.
      watched = [server, panePid].filter(isAlive)
    } catch (error) {
      if (!AgentMailError.is(error) || error.code !== 'tmux_lost') return
      clearInterval(timer)
      onLost()
    } finally {
      asking = false
    }
  }, intervalMs)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
  return !isZombie(pid)
}

/** Dead, but not yet taken note of by its parent: signals still reach it. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
