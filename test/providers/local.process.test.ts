/** Local mail beside what hangs a reader, and its cost to a process. */
import { chmodSync, existsSync, linkSync, mkdirSync, symlinkSync } from 'node:fs'
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
  it('is listed by the beginnings of its files, and by what changed the next time', async () => {
    const folder = new LocalFolder()
    const count = isLong ? 10_000 : 2000
    const body = 'lorem ipsum dolor sit amet\r\n'.repeat(700)
    folder.drop('0.eml', mail({ Subject: 'mail 7' }, body))
    const first = join(folder.path, 'inbox/0.eml')
    for (let number = 1; number < count; number++) {
      linkSync(first, join(folder.path, `inbox/${number}.eml`))
    }
    const { stdout } = await ended(startWorker('local-mail', [folder.path, 'list']))
    const [once, again, other] = costSchema.parse(JSON.parse(stdout)).costs
    expect([once?.mails, again?.mails, other?.mails]).toEqual([10, 10, 10])
    expect(once?.bytes).toBeLessThan(count * 8200 + (2 << 20))
    expect(again?.bytes).toBeLessThan(2 << 20)
    expect(other?.bytes).toBeLessThan(2 << 20)
  })
})
