/** What tells a file that was read from the same file after a change. */
import type { BigIntStats } from 'node:fs'

export const stampOf = ({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string =>
  `${mtimeNs}-${ctimeNs}-${size}-${ino}`

/** Marks a note that may have changed since it was read, without its file showing it. */
export const unsure = ''
