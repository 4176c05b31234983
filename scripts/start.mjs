/** npm start: installs and builds what is missing, then serves. What follows `--` goes to `agentmail serve`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ensure, root } from './ensure.mjs'

endWithNpm()
await ensure()
const binary = join(root, 'dist/agentmail.cjs')
process.argv = [process.execPath, binary, 'serve', ...process.argv.slice(2)]
createRequire(import.meta.url)(binary)

/** npm passes on SIGINT and SIGTERM; if anything else ends it, the server would stay behind. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const npm = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
}
