/** Local mail beside what hangs a reader, and its cost to a process. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ended, startWorker } from '../support/agentmail.ts'
import { makePipe } from '../support/named-pipe.ts'
import { isLong } from '../support/parts.ts'
import { LocalFolder, mail } from '../support/providers/local-folder.ts'

describe('a file in inbox/', () => {
  it('is passed over where it is no mail, and hangs nobody', async () => {
    const folder = new LocalFolder()
    const inbox = join(folder.path, 'inbox')
    folder.drop('real.eml', mail({ Subject: 'real' }))
    folder.drop('.hidden.eml', mail({ Subject: 'hidden' }))
    folder.drop('notes.txt', mail({ Subject: 'text' }))
    folder.drop('empty.eml', '')
    mkdirSync(join(inbox, 'folder.eml'))
    symlinkSync(join(inbox, 'real.eml'), join(inbox, 'link.eml'))
    symlinkSync('/dev/zero', join(inbox, 'device.eml'))
    symlinkSync('nowhere', join(inbox, 'dangling.eml'))
    makePipe(join(inbox, 'pipe.eml'))
    expect(existsSync(join(inbox, 'pipe.eml'))).toBe(true)
    if (process.getuid?.() !== 0) {
      folder.drop('locked.eml', mail({ Subject: 'locked' }))
      chmodSync(join(inbox, 'locked.eml'), 0)
    }
    expect(await folder.subjects()).toEqual(['real'])
  })
})

const costSchema = z.object({
  costs: z.array(z.object({ mails: z.int(), bytes: z.int(), longestMs: z.number() })),
})

describe('a large inbox', () => {
  it('is read once, whoever lists it, and by what changed the next time', async () => {
    const folder = new LocalFolder()
    const count = isLong ? 10_000 : 500
    const body = 'lorem ipsum dolor sit amet\r\n'.repeat(700)
    for (let number = 0; number < count; number++) {
      folder.drop(`${number}.eml`, mail({ Subject: `mail 7 ${number}` }, body))
    }
    const costs = async () => {
      const { stdout } = await ended(startWorker('local-mail', [folder.path, 'list']))
      return costSchema.parse(JSON.parse(stdout)).costs
    }
    const [first, again, other] = await costs()
    const [next] = await costs()
    expect([first, again, other, next].map((one) => one?.mails)).toEqual([10, 10, 10, 10])
    expect(first?.bytes).toBeGreaterThan(count * body.length)
    expect(first?.bytes).toBeLessThan(count * (body.length + 1000) + (2 << 20))
    for (const one of [again, other, next]) {
      expect(one?.bytes).toBeLessThan(count * 500 + (2 << 20))
    }
  })

  it('is read anew where what was kept of it cannot be believed', async () => {
    const folder = new LocalFolder()
    for (let number = 0; number < 250; number++) {
      folder.drop(`${number}.eml`, mail({ Subject: `mail ${number}` }))
    }
    const ids = (await folder.list()).map(({ id }) => id)
    const path = join(folder.path, '.files-inbox.json')
    const kept = readFileSync(path, 'utf8')
    expect(kept).toContain('mail 7')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const lie = kept.replaceAll(/"stamp":"\d/g, '"stamp":"9').replaceAll('mail', 'lie')
    for (const text of [
      '',
      '{"version":1,"files":[1,{"name":"0.eml"}]}',
      'null',
      kept.slice(9),
      lie,
    ]) {
      writeFileSync(path, text)
      const other = new LocalFolder({}, folder.path)
      expect((await other.list()).map(({ id }) => id)).toEqual(ids)
      expect(await other.subjects('lie')).toEqual([])
    }
  })
})
