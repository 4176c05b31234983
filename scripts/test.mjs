/**
 * npm test: installs and builds what is missing, lints, type-checks, looks for stale files, and tests. On a
 * developer's machine without the database servers and the hard tests; in CI, by `test:all` and `test:long`, with them.
 * `npm test -- <room or path>` runs the tests of a room alone, in whatever projects it has some.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensure, root } from './ensure.mjs'

const args = process.argv.slice(2)
const isLong = args.includes('--long')
const isAll = args.includes('--all') || isLong || Boolean(process.env.CI)
const chosen = args.filter((arg) => arg !== '--long' && arg !== '--all')

const unknown = chosen.find((name) => testsOf(name).length === 0)
if (unknown !== undefined) {
  console.error(
    `npm test: there is no room and no path ${unknown}. The rooms: ${rooms().join(' ')}`,
  )
  process.exit(1)
}
await ensure()
const isChecked = await Promise.all([
  run('biome', 'node_modules/@biomejs/biome/bin/biome', ['check', '.']),
  run('tsc', 'node_modules/typescript/bin/tsc'),
  run('tsc of the page', 'node_modules/typescript/bin/tsc', ['-p', 'src/page']),
  run('generated files', 'scripts/generate.mjs', ['--check']),
  run('knip', 'node_modules/knip/bin/knip.js'),
])
if (isChecked.includes(false)) process.exit(1)
const projects = isAll || chosen.length > 0 ? [] : ['--project=fast', '--project=process']
const tests = [...projects, ...chosen.flatMap(testsOf)]
if (!(await run('vitest', 'node_modules/vitest/vitest.mjs', ['run', ...tests]))) process.exit(1)

/** What vitest finds a room by: its folders, and its hard tests; nothing where there is no such room. */
function testsOf(name) {
  if (existsSync(join(root, name)) || name.startsWith('-')) return [name]
  return rooms().includes(name) ? [`src/${name}/`, `test/${name}/`, `test/hard/${name}/`] : []
}

function rooms() {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
  return folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

function run(what, script, args = []) {
  return new Promise((resolve) => {
    const env = { ...process.env, ...(isLong ? { LONG: '1' } : {}) }
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit', env })
    child.on('exit', (status) => {
      if (status !== 0) console.error(`npm test: ${what} failed`)
      resolve(status === 0)
    })
  })
}
