/** Prints how many bytes this process reads from files for each of a few calls of `take`. */
import { readFileSync, writeSync } from 'node:fs'
import { Mailbox } from '../../../src/mailbox/mailbox.ts'

const [path = '', positionPath = ''] = process.argv.slice(2)
const mailbox = new Mailbox({ path, positionPath })

/** What the operating system counts for this process. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

// The first call loads the lock, and reads a mailbox whose position nobody has remembered.
await mailbox.take()
const costs: number[] = []
for (let call = 0; call < 5; call++) {
  const before = bytesRead()
  await mailbox.take()
  costs.push(bytesRead() - before)
}
writeSync(1, JSON.stringify(costs))
