import { chmodSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { sleep } from './clock.ts'
import { textOfFile } from './files.ts'
import type { Lock } from './lock.ts'
import { SecretFile } from './secret-file.ts'

/** Twenty at once each add one to the number in the file. */
async function counted(lock?: Lock): Promise<number> {
  const path = join(temporaryFolder(), 'new/folder/secret')
  const add = () =>
    new SecretFile(path, lock).locked(
      async () => {
        const file = new SecretFile(path)
        const count = Number(file.read()?.text)
        await sleep(1)
        file.replace(String(count + 1))
      },
      { create: true },
    )
  await Promise.all(Array.from({ length: 20 }, add))
  expect(readdirSync(dirname(path))).toEqual(['secret'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  return Number(textOfFile(path))
}

describe('SecretFile', () => {
  it('is changed by one at a time, also while it is made', async () => {
    expect(await counted()).toBe(20)
    expect(await counted(() => true)).toBeLessThan(20)
  })

  it('writes through a link, also one that leads to nothing yet', async () => {
    const folder = temporaryFolder()
    const [link, target] = [join(folder, 'link'), join(folder, 'there/secret')]
    symlinkSync('there/secret', link)
    const file = new SecretFile(link)
    await file.locked(async () => file.replace('one'), { create: true })
    expect(textOfFile(target)).toBe('one')
    await file.locked(async () => file.remove())
    expect([existsSync(target), readdirSync(folder)]).toEqual([false, ['link', 'there']])
  })

  it('replaces what a killed writer left behind', async () => {
    const path = join(temporaryFolder(), 'secret')
    writeFileSync(join(dirname(path), '.secret.new'), 'half')
    const file = new SecretFile(path)
    await file.locked(async () => file.replace('whole'), { create: true })
    expect(file.read()?.text).toBe('whole')
    expect(readdirSync(dirname(path))).toEqual(['secret'])
  })

  it('is read only where nobody else can, and where it is no link, if that is asked', () => {
    const path = join(temporaryFolder(), 'secret')
    const file = new SecretFile(path)
    expect(file.readAlone()).toBeUndefined()
    writeFileSync(path, 'mine', { mode: 0o600 })
    expect(file.readAlone()?.text).toBe('mine')
    for (const mode of [0o640, 0o602, 0o604, 0o677]) {
      chmodSync(path, mode)
      expect(() => file.readAlone()).toThrow(expect.objectContaining({ code: 'EPERM' }))
      expect(statSync(path).mode & 0o777).toBe(mode)
    }
    chmodSync(path, 0o600)
    const link = new SecretFile(`${path}.link`)
    symlinkSync(path, link.path)
    expect(link.read()?.text).toBe('mine')
    expect(() => link.readAlone()).toThrow(expect.objectContaining({ code: 'ELOOP' }))
    expect([link.unlink(), link.unlink(), file.unlink(), existsSync(path)]).toEqual([
      ...[true, false, false, true],
    ])
  })
})
