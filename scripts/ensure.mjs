/** Makes sure that what package.json asks for is installed and that dist/ is what src/ says; quick when both are. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

export async function ensure() {
  checkNode()
  await ensureInstalled()
  await ensureBuilt()
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`AgentMail needs Node 20.19 or newer; this is ${process.version}.`)
  process.exit(1)
}

async function ensureInstalled() {
  if (isInstalled()) return
  console.log('Installing what AgentMail is built from…')
  // What the lock file names and nothing else, each part held against its hash.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const status = await endingWithUs(
    spawn('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }),
  )
  if (status === 0) return
  console.error('npm ci failed: see above. The first time it needs the npm registry.')
  process.exit(1)
}

/** Whether node_modules is what the lock file says, by the note that npm leaves there when it is done. */
function isInstalled() {
  const { '': asked, ...wanted } = packagesOf('package-lock.json')
  const there = packagesOf('node_modules/.package-lock.json')
  const named = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const isAsked = (kind) => isDeepStrictEqual(named[kind], asked?.[kind])
  if (!['dependencies', 'devDependencies'].every(isAsked)) return false
  return Object.entries(wanted).every(([path, { integrity, optional }]) =>
    there[path] ? there[path].integrity === integrity : optional === true,
  )
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return {} // not there, or cut short
  }
}

/** What is told to end passes that on, and ends when its child has. */
async function endingWithUs(child) {
  let told
  const passOn = (signal) => {
    told = signal
    child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, passOn)
  const [status] = await once(child, 'exit')
  for (const signal of signals) process.off(signal, passOn)
  if (told) process.kill(process.pid, told)
  return status
}

async function ensureBuilt() {
  const stamp = join(root, 'dist/.built-from')
  const sources = [
    'package.json',
    'package-lock.json',
    ...filesBelow('src'),
    ...filesBelow('scripts'),
  ]
  const wanted = `${process.version} ${hashOf(sources)}`
  if (readIfThere(stamp) === wanted) return
  console.log('Building…')
  const { buildAll } = await import('./build.mjs')
  await buildAll()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensure()
