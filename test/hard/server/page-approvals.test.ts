/** What a person approves on the page is what was on their screen, while the note and its files change under it all the time. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../../../src/email/drafts/draft-note.ts'
import { startWorker } from '../../support/agentmail.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const top =
  'status: pending_approval\nto: jane@example.com\nsubject: Hi\nattachments: [Files/a.txt]\n'
const seen = `---\n${top}---\nHello.\n`
const others = [
  seen.replace('subject', 'bcc: eve@example.net\nsubject'),
  seen.replace('Hello', 'Hello, Eve'),
  seen.replace('jane@', 'eve@'),
]

/** A draft as it is on the screen, and somebody who changes all that there are. */
async function scene() {
  const desk = await PageDesk.open()
  const { home } = desk
  mkdirSync(join(home.root, 'Files'))
  home.put('Files/a.txt', 'public')
  home.put('Drafts/0.md', seen)
  const sha256 = await hashOf(home.vault, await home.note('Drafts/0.md'))
  expect((await desk.draft('Drafts/0.md')).sha256).toBe(sha256)
  const changer = startWorker('note-changer', [home.root, seen, ...others])
  onTestFinished(() => void changer.kill('SIGKILL'))
  await once(changer.stdout, 'data')
  return { desk, home, sha256, changer }
}

describe('an approval on the page', () => {
  it('is of what was on the screen, or refused, in 200 races', { timeout: 600_000 }, async () => {
    const { desk, home, sha256, changer } = await scene()
    const counts = { approved: 0, refused: 0 }
    // More, where one of the two was always faster.
    const isOpen = (race: number) =>
      race <= 200 || (race <= 1000 && Math.min(counts.approved, counts.refused) === 0)
    for (let race = 1; isOpen(race); race++) {
      const path = `Drafts/${race}.md`
      home.put(path, seen)
      const { status, text } = await desk.call('POST', '/approve', { path, sha256 })
      expect([200, 400, 404, 409]).toContain(status)
      if (status === 200) expect(JSON.parse(text)).toMatchObject({ sha256 })
      counts[status === 200 ? 'approved' : 'refused']++
      if (status !== 200) home.removeIfThere(path)
    }
    expect(Math.min(counts.approved, counts.refused)).toBeGreaterThan(0)
    for (const verdict of desk.verdicts()) expect(verdict).toMatchObject({ sha256 })
    await home.once() // while they are changed on
    changer.kill('SIGKILL')
    await once(changer, 'exit')
    home.put('Files/a.txt', 'public')
    for (const path of home.list('Approved')) {
      if (!home.text(path).includes('approved_by')) home.put(path, seen) // cut short
    }
    await home.retryNow()
    await home.once()
    const sent = await home.sent()
    expect(sent.length).toBeGreaterThan(0)
    for (const { to, cc, bcc, text } of sent) {
      expect([to?.map(({ address }) => address), cc, bcc, text?.trim()]).toEqual([
        ...[['jane@example.com'], undefined, undefined, 'Hello.'],
      ])
    }
  })

  it('would be of something else, were it of what is there when the button is pressed', async () => {
    const { desk, home, sha256 } = await scene()
    for (let race = 1; race <= 500; race++) {
      const path = `Drafts/${race}.md`
      home.put(path, seen)
      const now = await desk.call('GET', `/draft?path=${path}`)
      const shown = now.status === 200 ? JSON.parse(now.text).sha256 : null
      await desk.call('POST', '/approve', { path, sha256: shown })
      if (desk.verdicts().some((verdict) => verdict.sha256 !== sha256)) return
    }
    expect.fail('nobody was ever deceived')
  })
})

describe('a rejection on the page', () => {
  it('is of what was on the screen, or refused', { timeout: 600_000 }, async () => {
    const { desk, home, sha256 } = await scene()
    const counts = { rejected: 0, refused: 0 }
    for (let race = 1; race <= 100 || (race <= 500 && counts.rejected === 0); race++) {
      const path = `Drafts/r${race}.md`
      home.put(path, seen)
      const word = { path, sha256, reason: 'no' }
      const { status } = await desk.call('POST', '/reject', word)
      counts[status === 200 ? 'rejected' : 'refused']++
      if (status !== 200) home.removeIfThere(path)
    }
    expect(Math.min(counts.rejected, counts.refused)).toBeGreaterThan(0)
    for (const verdict of desk.verdicts()) expect(verdict).toMatchObject({ sha256 })
  })
})
