/** What V8 compiled at the build: taken only where it is still what was built. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/agentmail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function copiedBuild() {
  const folder = temporaryFolder()
  for (const name of ['agentmail.cjs', 'cli-main.cjs', 'cli-main.cjs.cache', 'version.cjs']) {
    cpSync(join(root, 'dist', name), join(folder, name))
  }
  const home = join(folder, 'home')
  const cache = join(folder, 'cli-main.cjs.cache')
  const run = (XDG_CACHE_HOME = home) =>
    execFileSync(process.execPath, [join(folder, 'agentmail.cjs'), '--version'], {
      env: { XDG_CACHE_HOME },
      encoding: 'utf8',
    })
  return { folder, home, cache, run, notes: join(home, 'agentmail/checked-code') }
}

/** Code of another text, which V8 itself takes for that of the file: it looks at the length alone. */
function planted(folder: string): Buffer {
  const source = readFileSync(join(folder, 'cli-main.cjs'), 'utf8')
  const open = '(function(exports,require,module,__filename,__dirname){'
  const other = `${open}console.log('planted');process.exit()`.padEnd(open.length + source.length)
  const script = `
    const script = new (require('node:vm').Script)(process.argv[1])
    process.stdout.write(script.createCachedData())`
  return execFileSync(process.execPath, ['-e', script, `${other}\n})`])
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const right = `${version}\n`

it.each([
  ['holds other code', (cache: string, folder: string) => writeFileSync(cache, planted(folder))],
  ['is cut short', (cache: string) => truncateSync(cache, 1000)],
  ['is empty', (cache: string) => truncateSync(cache, 0)],
  ['is gone', (cache: string) => rmSync(cache)],
  [
    'is a link',
    (cache: string, folder: string) => {
      writeFileSync(join(folder, 'other'), planted(folder))
      rmSync(cache)
      symlinkSync(join(folder, 'other'), cache)
    },
  ],
  [
    'is a folder',
    (cache: string) => {
      rmSync(cache)
      mkdirSync(cache)
    },
  ],
])('works without a cache that %s, also once the right one was noted', (_what, change) => {
  const { folder, cache, run, notes } = copiedBuild()
  expect(run()).toBe(right)
  const noted = readFileSync(notes, 'utf8')
  expect(noted).toMatch(/^[\da-f]{64}( [\d.]+){5}\n$/)
  const { atime, mtime } = statSync(cache)
  change(cache, folder)
  if (existsSync(cache)) utimesSync(cache, atime, mtime)
  expect(run()).toBe(right)
  expect(readFileSync(notes, 'utf8')).toBe(noted)
})

it('takes the cache that was built, wherever it is noted', () => {
  const { folder, cache, run } = copiedBuild()
  const bytes = planted(folder)
  const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex')
  const binary = join(folder, 'agentmail.cjs')
  const text = readFileSync(binary, 'utf8')
  // With the hash of the other code in its place that code runs, so it is the cache that is run.
  writeFileSync(binary, text.replace(hash(readFileSync(cache)), hash(bytes)))
  writeFileSync(cache, bytes)
  expect([run(), run()]).toEqual(['planted\n', 'planted\n'])
  expect(run('relative')).toBe('planted\n')
  writeFileSync(join(folder, 'file'), '')
  expect(run(join(folder, 'file'))).toBe('planted\n') // there is no place for a note
  writeFileSync(binary, text)
  expect(run()).toBe(right)
})

it('keeps its notes short', () => {
  const { cache, run, notes } = copiedBuild()
  run()
  writeFileSync(notes, 'x\n'.repeat(50_000))
  expect(run()).toBe(right)
  expect(statSync(notes).size).toBeLessThan(200)
  renameSync(cache, `${cache}.away`) // its time of change is another now
  renameSync(`${cache}.away`, cache)
  expect(run()).toBe(right)
  expect(readFileSync(notes, 'utf8').split('\n')).toHaveLength(3)
})
