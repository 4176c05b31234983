/** An approval is of the version that was seen, while the note and its files change under it all the time. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../../../src/email/drafts/draft-note.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import { approve } from '../../../src/orchestrator/approval/approve.ts'
import { startWorker } from '../../support/agentmail.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'
import { recordsIn } from '../../support/orchestrator/records-in.ts'
import { isLong } from '../../support/parts.ts'

const top =
  'status: pending_approval\nto: jane@example.com\nsubject: Hi\nattachments: [Files/a.txt]\n'
const seen = `---\n${top}---\nHello.\n`
const others = [
  seen.replace('subject', 'bcc: eve@example.net\nsubject'),
  seen.replace('Hello', 'Hello, Eve'),
  seen.replace('jane@', 'eve@'),
]

/** Drafts as they were seen, and somebody who changes them. */
async function scene() {
  const home = await OrchestratorHome.make()
  mkdirSync(join(home.root, 'Files'))
  home.put('Files/a.txt', 'public')
  home.put('Drafts/0.md', seen)
  const hash = await hashOf(home.vault, await home.note('Drafts/0.md'))
  const changer = startWorker('note-changer', [home.root, seen, ...others])
  onTestFinished(() => void changer.kill('SIGKILL'))
  await once(changer.stdout, 'data')
  return { home, hash, changer }
}

/** Whether it was approved; nobody but us may say why not. */
async function isApproved(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (AgentMailError.is(error)) return false
    throw error
  }
}

describe('an approval with a version', () => {
  it('is of exactly that, or refused, in 200 races', { timeout: 600_000 }, async () => {
    const { home, hash, changer } = await scene()
    const counts = { approved: 0, refused: 0 }
    // More, where one of the two was always faster.
    const isOpen = (race: number) =>
      race <= 200 || (race <= 1000 && Math.min(counts.approved, counts.refused) === 0)
    for (let race = 1; isOpen(race); race++) {
      const path = `Drafts/${race}.md`
      home.put(path, seen)
      const version = hash.slice(0, 16)
      const done =
        isLong || race % 50 === 0
          ? (await home.run(['drafts', 'approve', path, '--version', version])).exitCode === 0
          : await isApproved(() => approve(recordsIn(home.vault), path, { by: 'anna', version }))
      counts[done ? 'approved' : 'refused']++
      if (!done) home.removeIfThere(path)
    }
    expect(Math.min(counts.approved, counts.refused)).toBeGreaterThan(0)
    for (const verdict of await new Approvals(home.vault).verdicts()) {
      expect(verdict).toMatchObject({ event: 'approved', sha256: hash })
    }
    await home.once() // while they are changed on
    changer.kill('SIGKILL')
    await once(changer, 'exit')
    home.put('Files/a.txt', 'public')
    for (const path of home.list('Approved')) {
      if (home.text(path).includes('approved_by')) continue
      home.put(path, seen) // cut short, or as somebody wants it
    }
    await home.retryNow()
    await home.once()
    const sent = await home.sent()
    expect(sent.length).toBeGreaterThan(0)
    for (const { to, cc, bcc, text, attachments } of sent) {
      expect([to?.map(({ address }) => address), cc, bcc]).toEqual([
        ['jane@example.com'],
        undefined,
        undefined,
      ])
      expect([text?.trim(), attachments.map(({ content }) => textOf(content))]).toEqual([
        'Hello.',
        ['public'],
      ])
    }
  })

  it('would be of something else, were the version not that of what was seen', async () => {
    const { home, hash } = await scene()
    for (let race = 1; race <= 500; race++) {
      const path = `Drafts/${race}.md`
      home.put(path, seen)
      await isApproved(async () => {
        const version = await hashOf(home.vault, await home.note(path))
        await approve(recordsIn(home.vault), path, { by: 'anna', version })
      })
      const verdicts = await new Approvals(home.vault).verdicts()
      if (verdicts.some(({ sha256 }) => sha256 !== hash)) return
    }
    expect.fail('nobody was ever deceived')
  })
})

const textOf = (content: string | ArrayBuffer | Uint8Array): string =>
  typeof content === 'string' ? content : new TextDecoder().decode(content)
