/** Loaded into a server by a test: at SIGUSR2 it throws its garbage away, and says on stderr what it still uses. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

process.on('SIGUSR2', () => {
  const withGarbage = process.memoryUsage.rss()
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.stderr.write(
    `memory ${JSON.stringify({ used: heapUsed + external, rss, withGarbage })}\n`,
  )
})
