/** Ends the servers that tests started, and removes their folders, once the process of the tests is gone, however it went. */
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import * as z from 'zod'

const keptSchema = z.object({ pids: z.array(z.int()), folders: z.array(z.string()) })

let kept: z.infer<typeof keptSchema> = { pids: [], folders: [] }
for await (const line of createInterface({ input: process.stdin })) {
  kept = keptSchema.parse(JSON.parse(line))
}
for (const pid of kept.pids) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {} // it is gone already
}
for (const folder of kept.folders) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) // a dying server may still write
}
