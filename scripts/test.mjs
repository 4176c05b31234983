/** npm test: installs and builds what is missing, then lints, type-checks, looks for stale files, and tests. */
import { spawnSync } from 'node:child_process'
import { ensure, root } from './ensure.mjs'

const args = process.argv.slice(2)
const isLong = args.includes('--long')
const chosen = args.filter((arg) => arg !== '--long')

await ensure()
run('biome', 'node_modules/@biomejs/biome/bin/biome', ['check', '.'])
run('tsc', 'node_modules/typescript/bin/tsc')
run('generated files', 'scripts/generate.mjs', ['--check'])
run('knip', 'node_modules/knip/bin/knip.js')
run('vitest', 'node_modules/vitest/vitest.mjs', ['run', ...chosen], isLong ? { LONG: '1' } : {})

function run(what, script, args = [], env = {}) {
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status === 0) return
  console.error(`npm test: ${what} failed`)
  process.exit(status ?? 1)
}
