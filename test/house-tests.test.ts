/** The rules of the house for its tests, and for the size of everything: what is fast starts nothing, files and folders stay small. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))

const all = [...below('src'), ...below('test')]
const tests = all.filter((file) => file.endsWith('.test.ts'))
const isFast = (file: string) =>
  !/\.(process|database)\.test\.ts$/.test(file) && !file.startsWith('test/hard/')

/** The way from a file to `child_process` through what tests share; what src/ starts is its own affair. */
function wayToProcesses(file: string, seen = new Set<string>()): string[] | undefined {
  if (seen.has(file)) return undefined
  seen.add(file)
  const text = readFileSync(join(root, file), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (?!type\b)[^']*?from '([^']+)'/gm)]
  const targets = imports.map(([, target = '']) => target)
  if (targets.includes('node:child_process')) return [file]
  for (const target of targets.filter((path) => path.startsWith('.'))) {
    const next = relative(root, join(root, dirname(file), target))
    if (!next.startsWith('test/') || !existsSync(join(root, next))) continue
    const way = wayToProcesses(next, seen)
    if (way) return [file, ...way]
  }
  return undefined
}

describe('a test', () => {
  it('is fast when it starts nothing, and says in its name when it does', () => {
    const ways = tests.filter(isFast).map((file) => wayToProcesses(file))
    expect(ways.flatMap((way) => (way ? [way.join(' → ')] : []))).toEqual([])
  })

  it('is a process test because it starts something (control)', () => {
    const processes = tests.filter((file) => file.endsWith('.process.test.ts'))
    expect(processes.filter((file) => !wayToProcesses(file))).toEqual([])
    expect(processes.length).toBeGreaterThan(20)
  })
})

describe('the house', () => {
  it('has files of at most 300 lines, tests too', () => {
    const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1
    const long = all.filter((file) => lines(file) > 300)
    expect(long.map((file) => `${file}: ${lines(file)}`)).toEqual([])
  })

  it('has folders of at most 20 files, but for one file a tool, one a command', () => {
    const counts = new Map<string, number>()
    const counted = all.filter(
      (file) =>
        !/^src\/(tools|cli\/commands)\//.test(file) &&
        !(file.startsWith('src/') && file.endsWith('.test.ts')), // stands beside what it tests
    )
    for (const file of counted) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 20)).toEqual([])
  })
})
