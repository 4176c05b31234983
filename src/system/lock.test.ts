import { closeSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { sleep } from './clock.ts'
import { openRegularFile, replaceFile, textOfFile } from './files.ts'
import { type Lock, lockIfFree, openLocked, type ToLock } from './lock.ts'

const fileAt = (path: string, more: Partial<ToLock> = {}): ToLock => ({
  open: () => openRegularFile(path, { create: true }),
  there: () => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  busy: () => new Error('it is busy'),
  ...more,
})

/** Twenty at once each add one to the number in the file, which is replaced each time. */
async function counted(lock: Lock): Promise<number> {
  const path = join(temporaryFolder(), 'file')
  const add = async () => {
    const fd = await openLocked(fileAt(path, { lock }))
    const count = Number(textOfFile(path))
    await sleep(1)
    replaceFile(path, [Buffer.from(String(count + 1))], { temporary: `${fd}.new` })
    if (fd !== undefined) closeSync(fd)
  }
  await Promise.all(Array.from({ length: 20 }, add))
  return Number(textOfFile(path))
}

it('lets one at a time at a file, also when each replaces it', async () => {
  expect(await counted(lockIfFree)).toBe(20)
  expect(await counted(() => true)).toBeLessThan(20)
})

it('is no lock on a file that is not at its place any more', async () => {
  const path = join(temporaryFolder(), 'file')
  let replaced = 0
  const lock: Lock = (fd) => {
    if (replaced++ === 0) replaceFile(path, [Buffer.from('new')])
    return lockIfFree(fd)
  }
  const fd = await openLocked(fileAt(path, { lock }))
  expect(replaced).toBe(2)
  expect(lockIfFree(openRegularFile(path, { create: true }))).toBe(false)
  if (fd !== undefined) closeSync(fd)
})

it('says so where others do not let go, or where there is no file', async () => {
  const path = join(temporaryFolder(), 'file')
  expect(await openLocked(fileAt(path, { open: () => openRegularFile(path) }))).toBeUndefined()
  const fd = await openLocked(fileAt(path))
  await expect(openLocked(fileAt(path, { patienceMs: 20 }))).rejects.toThrow('it is busy')
  if (fd !== undefined) closeSync(fd)
  const next = await openLocked(fileAt(path, { patienceMs: 20 }))
  if (next !== undefined) closeSync(next)
})
