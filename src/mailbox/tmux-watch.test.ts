/** tmux may end at any moment, also just after it has answered. */
import { describe, expect, it } from 'vitest'
import { notInTmux } from '../errors.ts'
import { watchTmux } from './tmux-watch.ts'

/** No process has a number as high. */
const nobody = 2 ** 30

describe('a watch on tmux', () => {
  it.each([
    ['tmux', [nobody]],
    ['its pane', [process.pid, nobody]],
  ])('notices that %s has ended just after tmux answered', async (_, told) => {
    let asked = 0
    const ask = async () => {
      if (++asked === 1) return told
      throw notInTmux('It is gone.', 'tmux_lost')
    }
    await new Promise<void>((resolve) => watchTmux(ask, resolve))
    expect(asked).toBe(2)
  })
})
