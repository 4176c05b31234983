/** Local mail under several processes at once, and senders that are killed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Env, ended, startWorker } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { loading } from '../../support/loading.ts'
import { isLong } from '../../support/parts.ts'
import { LocalFolder, mail } from '../../support/providers/local-folder.ts'

describe('labels', () => {
  /** How many of the labels that several processes gave one mail at once are missing. */
  async function lostLabels(fault = ''): Promise<number> {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    const id = await folder.idOf('a')
    const runs = ['a', 'b', 'c'].map((prefix) =>
      ended(startWorker('local-mail', [folder.path, 'label', id, prefix, fault])),
    )
    const failed = (await Promise.all(runs)).filter(({ exitCode }) => exitCode !== 0)
    if (fault === '') expect(failed).toEqual([])
    const labels = await folder.inbox.label(id, 'last')
    return 3 * 15 + 3 - labels.length
  }

  it('given by several processes at once are all kept', async () => {
    expect(await lostLabels()).toBe(0)
  })

  it('would be lost without the lock', async () => {
    await expectDamage(() => lostLabels('no lock'))
  })
})

describe('sending', () => {
  /** Kills processes while they send; gives how many mails are torn or, though acknowledged, missing. */
  async function tornMails(kills: number, env: Env = {}): Promise<number> {
    const folder = new LocalFolder()
    const acknowledged: string[] = []
    for (let kill = 0; kill < kills; kill++) {
      const child = startWorker('local-mail', [folder.path, 'send'], env)
      onTestFinished(() => void child.kill('SIGKILL'))
      createInterface(child.stdout).on('line', (line) => {
        acknowledged.push(JSON.parse(line))
        if (acknowledged.length % 3 > 0) return
        setTimeout(() => child.kill('SIGKILL'), Math.random() * 20) // at any moment of a mail
      })
      const { signal, stderr } = await ended(child)
      expect([signal, stderr]).toEqual(['SIGKILL', ''])
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(kills)
    let damage = 0
    for (const name of folder.sent().filter((entry) => !entry.startsWith('.'))) {
      const raw = readFileSync(join(folder.path, 'sent', name), 'latin1')
      if (!/\r\n--\S+--\r\n$/.test(raw.slice(-200))) damage++ // the mark after the last part
    }
    for (const id of acknowledged) await folder.inbox.get(id).catch(() => damage++)
    return damage
  }

  it('leaves whole mails only, and every acknowledged one, when it is killed', async () => {
    expect(await tornMails(isLong ? 50 : 3)).toBe(0)
  })

  it('would leave torn mails if it wrote them in their place', async () => {
    await expectDamage(() => tornMails(3, loading(['careless-files'], { CARELESS: 'in place' })))
  })
})
