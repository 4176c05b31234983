/** What was changed after a person approved it by command is not sent, however it was changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApprovedNotes } from '../support/orchestrator/approved-notes.ts'
import { edits, plain, reply } from '../support/orchestrator/tampered-texts.ts'
import { deeds, unapproved } from '../support/orchestrator/tampering.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('a note that was approved by command', () => {
  let shared: ApprovedNotes
  beforeAll(async () => {
    shared = await ApprovedNotes.make({ folder: temporaryFolder(afterAll), isAll: true })
  })

  it.each(edits)('is not sent after an edit of %s: for %j now %j', async (path, from, to) => {
    const text = shared.text(path)
    shared.replace(path, from, to)
    expect(await shared.standing(path)).toMatchObject({ is: 'void' })
    shared.put(path, text)
    expect(await shared.standing(path)).toMatchObject({ is: 'approved', approval: { by: 'anna' } })
  })

  it.each(deeds)('is not sent after %s', async (_, change, voided = [reply]) => {
    const notes = await ApprovedNotes.make()
    await change(notes)
    for (const path of voided) expect(await notes.standing(path)).toMatchObject({ is: 'void' })
  })

  it('was changed in more than 100 ways', () =>
    expect(edits.length + deeds.length).toBeGreaterThan(100))

  it('says who approved it, when, and what to do', async () => {
    const notes = await ApprovedNotes.make()
    notes.replace(plain, 'noon', 'one')
    expect(await notes.standing(plain)).toEqual({
      is: 'void',
      reason: expect.stringMatching(
        /changed after it was approved by anna at 20.*Z\. Approve it as it is now/,
      ),
    })
  })

  it.each<[string, (notes: ApprovedNotes) => unknown, string?]>([
    ['its status', (notes) => notes.replace(reply, 'pending_approval', 'failed')],
    ['tags', (notes) => notes.replace(reply, 'status:', 'tags: [a, b]\nstatus:')],
    ['a comment', (notes) => notes.replace(reply, /^(subject: .*)$/m, '$1 # of the year')],
    ['the order', (notes) => notes.replace(reply, /^(from: .*\n)(to: .*\n)/m, '$2$1')],
    ['quotes', (notes) => notes.replace(reply, /^subject: (.*)$/m, 'subject: "$1"')],
    ['a list', (notes) => notes.replace(reply, /^cc: (.*)$/m, 'cc:\n  - $1')],
    ['a BOM at its very start', (notes) => notes.edit(plain, (text) => `\ufeff${text}`)],
    [
      'the line ends of the front matter',
      (notes) =>
        notes.edit(plain, (text) =>
          text.replace(/^---[\s\S]*?\n---\n/, (top) => top.replace(/\n/g, '\r\n')),
        ),
    ],
    ['the approval, which is recorded elsewhere', (notes) => notes.edit(plain, unapproved)],
    [
      'nothing, by an editor that writes anew',
      (notes) => {
        notes.copy(plain, 'Approved/new')
        notes.move('Approved/new', plain)
      },
    ],
    [
      'its place and back',
      (notes) => {
        notes.move(plain, 'Drafts/plain.md')
        notes.move('Drafts/plain.md', plain)
      },
    ],
    [
      'an edit and back',
      (notes) => {
        notes.replace(plain, 'noon', 'one')
        notes.replace(plain, 'one', 'noon')
      },
    ],
    [
      'a torn line in the record',
      (notes) => notes.edit('Logs/approvals.jsonl', (text) => `${text}{"event":"rej`),
    ],
    [
      'foreign lines in the record',
      (notes) =>
        notes.edit(
          'Logs/approvals.jsonl',
          (text) => `null\n[]\n{}\n${'x'.repeat(200_000)}\n${text}`,
        ),
    ],
  ])('is still sent after a change of %s', async (_, change) => {
    const notes = await ApprovedNotes.make()
    await change(notes)
    for (const path of [reply, plain]) expect((await notes.standing(path)).is).toBe('approved')
  })

  it('could be taken as moved by hand, were it not for the record', async () => {
    const notes = await ApprovedNotes.make()
    notes.edit(plain, (text) => unapproved(text).replace('noon', 'one'))
    notes.remove('Logs/approvals.jsonl')
    expect(await notes.standing(plain)).toMatchObject({ is: 'by hand' })
  })

  it('leaves other notes alone, also one whose file has the number of another that is gone', async () => {
    const notes = await ApprovedNotes.make()
    const inode = notes.inode(plain)
    notes.remove(plain)
    for (let count = 0; count < 50; count++) {
      const path = `Approved/new-${count}.md`
      notes.put(path, `---\nto: eve@example.com\n---\nHello ${count}\n`)
      expect(await notes.standing(path)).toMatchObject({ is: 'by hand' })
      if (notes.inode(path) === inode) return
    }
  })
})
