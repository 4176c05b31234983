/** Named pipes, which hang whoever opens them unawares. */
import { execFileSync } from 'node:child_process'

export const makePipe = (path: string): Buffer => execFileSync('mkfifo', [path])
