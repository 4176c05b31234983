/** Tells on stderr how far a long work on the index has come. */

import { pauses } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import type { Vault } from '../vault.ts'
import { walkNotes } from '../walk.ts'

const everyMs = 3000
/** What is done sooner is not worth a line. */
const longMs = 1000

/** Until the function is called that it gives. */
export function showProgress(
  vault: Vault,
  work: { readonly count: number },
): (isDone: boolean) => void {
  const startedAt = performance.now()
  let total: number | undefined
  let isOver = false
  const timer = setInterval(async () => {
    total ??= await countNotes(vault)
    if (total !== undefined && !isOver)
      log(`indexing the vault: ${shown(work.count)} of about ${shown(total)} notes`)
  }, everyMs).unref()
  return (isDone) => {
    clearInterval(timer)
    isOver = true
    const ms = performance.now() - startedAt
    if (!isDone || ms < longMs) return
    log(`the vault is indexed: ${shown(work.count)} notes in ${(ms / 1000).toFixed(1)} s`)
  }
}

const shown = (count: number): string => count.toLocaleString('en')

async function countNotes(vault: Vault): Promise<number | undefined> {
  const pause = pauses()
  let count = 0
  try {
    const root = vault.open()
    try {
      for (const _note of walkNotes(root, '')) {
        count++
        await pause()
      }
    } finally {
      root.close()
    }
  } catch {
    return undefined // the work itself meets the same trouble and tells it
  }
  return count
}
