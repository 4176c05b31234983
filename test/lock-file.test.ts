/** What is installed is what was looked at: each part of the lock file has its hash, and none says where it comes from. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Part {
  integrity?: string
  resolved?: string
  link?: boolean
  inBundle?: boolean
}

const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')
const { packages }: { packages: Record<string, Part> } = JSON.parse(text)
const parts = Object.entries(packages).filter(([path]) => path !== '')

it('has a hash for every part, those of other systems too', () => {
  const unchecked = parts.filter(
    ([, part]) => !part.link && !part.inBundle && !part.integrity?.startsWith('sha512-'),
  )
  expect(unchecked.map(([path]) => path)).toEqual([])
  expect(parts.length).toBeGreaterThan(100)
})

it('names no registry', () => {
  expect(parts.filter(([, part]) => part.resolved !== undefined).map(([path]) => path)).toEqual([])
})
