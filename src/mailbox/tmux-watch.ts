/** Notices that tmux is gone, without asking tmux while all is well. */
import { readFileSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'

const intervalMs = 300
/** So often tmux answers, and none of its processes is there. */
const mostUnseen = 3

/**
 * Calls `onLost` once when tmux is gone. `ask` asks tmux: it gives the processes to watch, and
 * throws `tmux_lost` when what the caller belongs to is not there any more. It is called at first
 * and whenever one of those processes has ended. The returned function ends the watch.
 */
export function watchTmux(ask: () => Promise<number[]>, onLost: () => void): () => void {
  let watched: number[] | undefined
  let asking = false
  let unseen = 0
  const timer = setInterval(async () => {
    if (asking || watched?.every(isAlive)) return
    asking = true
    try {
      const alive = (await ask()).filter(isAlive)
      // None is visible where tmux runs in another PID namespace: then only a call notices. Or tmux
      // has ended since it answered: then it does not answer again.
      watched = alive.length > 0 || ++unseen >= mostUnseen ? alive : undefined
    } catch (error) {
      if (!AgentMailError.is(error, 'tmux_lost')) return
      clearInterval(timer)
      onLost()
    } finally {
      asking = false
    }
  }, intervalMs)
  return () => clearInterval(timer)
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
