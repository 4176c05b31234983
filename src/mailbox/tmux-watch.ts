/** Notices that tmux is gone, without asking tmux while all is well. */
import { AgentMailError } from '../errors.ts'
import { isAlive } from '../system/run-program.ts'

const intervalMs = 300
/** So often tmux answers, and a process that it names is not there. */
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
      const told = await ask()
      const alive = told.filter(isAlive)
      // Some are not visible where tmux runs in another PID namespace: then only a call notices. Or
      // they have ended since tmux answered: then it gives another answer the next time, or none.
      if (alive.length === told.length) unseen = 0
      else unseen++
      watched = unseen === 0 || unseen >= mostUnseen ? alive : undefined
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
