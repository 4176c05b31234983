/** A person's word about a draft: recorded once, kept to, and never about another text than was there. */

import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  approveAsItIs,
  draft,
  draftsIn,
  recordsIn,
} from '../../../test/support/orchestrator/records-in.ts'
import { Vault } from '../../vault/vault.ts'
import { listDrafts } from './drafts.ts'
import { reject } from './reject.ts'
import { standingAt } from './standing.ts'

const anna = { by: 'anna' }

describe('approve', () => {
  it('approves nothing that an editor has saved in the meantime', async () => {
    const { test } = draftsIn()
    let saved = 0
    const vault = new Vault(test.root, {
      lock: () => {
        if (saved++ === 0) test.put('Drafts/x.md', draft('', 'Hello again\n'))
        return true
      },
    })
    await expect(approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)).rejects.toThrow(
      /^Drafts\/x\.md is not version [0-9a-f]{16}: its version is [0-9a-f]{16} now$/,
    )
    expect(test.text('Drafts/x.md')).toBe(draft('', 'Hello again\n'))
    expect(test.files()).not.toContain('Approved/x.md')
  })

  it('records nothing anew for a change of what is not sent', async () => {
    const { test, approvals } = draftsIn()
    let saved = 0
    const vault = new Vault(test.root, {
      lock: () => {
        if (saved++ === 0) test.put('Drafts/x.md', draft('tags: [a]\n'))
        return true
      },
    })
    await approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)
    expect(test.text('Approved/x.md')).toContain('tags: [a]\napproved_by: anna')
    expect(await approvals.verdicts()).toHaveLength(1)
  })

  it('ends well for each of several who approve at once', async () => {
    const { vault, test } = draftsIn()
    const people = ['anna', 'bea', 'carl', 'dora']
    const answers = await Promise.all(
      people.map((by) => approveAsItIs(recordsIn(vault), 'Drafts/x.md', { by })),
    )
    expect(new Set(answers.map(({ path }) => path))).toEqual(new Set(['Approved/x.md']))
    expect(test.files()).not.toContain('Drafts/x.md')
    expect((await standingAt(recordsIn(vault), 'Approved/x.md')).is).toBe('approved')
  })

  it('loses nothing where the name is taken', async () => {
    const { vault, test } = draftsIn({ 'Drafts/x.md': draft(), 'Approved/x.md': 'other' })
    await expect(approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)).rejects.toThrow(
      'another note at Approved/x.md',
    )
    expect([test.text('Drafts/x.md'), test.text('Approved/x.md')]).toEqual([draft(), 'other'])
    expect(test.files()).not.toContain('Logs')
  })

  it('takes a note of any folder but Done/, and what lies in Approved/ as it is', async () => {
    const { vault, test } = draftsIn({
      'Ideas/a.md': draft(),
      'Approved/b.md': draft(),
      'Approved/deep/c.md': draft(),
      'Done/d.md': draft(),
    })
    expect((await approveAsItIs(recordsIn(vault), 'Ideas/a.md', anna)).path).toBe('Approved/a.md')
    expect((await approveAsItIs(recordsIn(vault), 'Approved/b.md', anna)).path).toBe(
      'Approved/b.md',
    )
    expect((await approveAsItIs(recordsIn(vault), 'Approved/deep/c.md', anna)).path).toBe(
      'Approved/c.md',
    )
    await expect(approveAsItIs(recordsIn(vault), 'Done/d.md', anna)).rejects.toThrow('is done')
    test.put('Approved/b.md', test.text('Approved/b.md').replace('Hello', 'Bye'))
    expect((await standingAt(recordsIn(vault), 'Approved/b.md')).is).toBe('void')
    expect(await approveAsItIs(recordsIn(vault), 'Approved/b.md', { by: 'bea' })).toMatchObject({
      approved_by: 'bea',
      already: false,
    })
    expect((await standingAt(recordsIn(vault), 'Approved/b.md')).is).toBe('approved')
  })

  it('is a new approval for a note that was taken back', async () => {
    const { vault, test, at } = draftsIn()
    await approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)
    test.put('Drafts/x.md', test.text('Approved/x.md'))
    rmSync(at('Approved/x.md'))
    expect(await approveAsItIs(recordsIn(vault), 'Drafts/x.md', { by: 'bea' })).toMatchObject({
      approved_by: 'bea',
    })
    expect(test.text('Approved/x.md')).toContain('approved_by: bea')
  })

  it.each([
    ['to: nobody\n---\nx', /nobody/],
    ['to: a@example.com\nattachments: [none.pdf]\n---\nx', /no file to attach at none.pdf/],
    ['to: a@example.com\n---\n', /says nothing/],
    ['to: a@example.com\nstatus: done\n---\nx', /done already/],
    ['to: a@example.com\nstatus: sent\n---\nx', /sent already/],
    ['to: a@example.com\nstatus: unknown\n---\nx', /may have been sent/],
    ['to: a@example.com\nstatus: rejected\n---\nx', /was rejected/],
    ['title: x\n---\nx', /not a draft/],
    ['to: [\n---\nx', /cannot be read|bracket/],
  ])('refuses %j and records nothing', async (text, words) => {
    const { vault, test } = draftsIn({ 'Drafts/x.md': `---\n${text}` })
    await expect(approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)).rejects.toThrow(words)
    expect(test.files()).toEqual(['Drafts', 'Drafts/x.md'])
  })

  it('refuses what was sent already, under its name or as the same answer', async () => {
    const answer = draft('reply_to_message_id: abc\n')
    const { vault, test, approvals } = draftsIn({ 'Drafts/x.md': draft(), 'Drafts/y.md': answer })
    const sent = (
      await Promise.all(
        ['x', 'y'].map((one) => approveAsItIs(recordsIn(vault), `Drafts/${one}.md`, anna)),
      )
    ).map(({ path, sha256 }) => ({
      name: path.slice('Approved/'.length),
      sha256,
      state: 'sent' as const,
      sent_at: '2026-01-01T00:00:00Z',
      ...(path.endsWith('y.md') && { reply_to_message_id: 'abc' }),
    }))
    const records = recordsIn(vault, ...sent)
    for (const one of ['x', 'y']) rmSync(join(test.root, `Approved/${one}.md`))
    test.put('Drafts/x.md', draft())
    test.put('Drafts/copy.md', answer)
    for (const path of ['Drafts/x.md', 'Drafts/copy.md']) {
      await expect(approveAsItIs(records, path, anna)).rejects.toThrow(
        'it was sent already, at 2026-01-01T00:00:00Z',
      )
    }
    const { drafts } = await listDrafts(records)
    expect(drafts.map(({ sent_at }) => sent_at)).toEqual(Array(2).fill('2026-01-01T00:00:00Z'))
    expect(await approvals.verdicts()).toHaveLength(2)
    test.put('Drafts/x.md', draft('', 'Hello again\n'))
    test.put('Drafts/other.md', draft())
    for (const path of ['Drafts/x.md', 'Drafts/other.md']) await approveAsItIs(records, path, anna)
  })

  it('follows no link, and approves nothing that it cannot record', async () => {
    const linked = draftsIn()
    symlinkSync(linked.test.outside, linked.at('Approved'))
    await expect(approveAsItIs(recordsIn(linked.vault), 'Drafts/x.md', anna)).rejects.toThrow(
      'link is not followed',
    )
    const { vault, test, at } = draftsIn({
      'Drafts/x.md': draft(),
      'Approved/y.md': draft(),
    })
    mkdirSync(at('Logs'))
    symlinkSync(join(test.outside, 'log'), at('Logs/approvals.jsonl'))
    await expect(approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)).rejects.toThrow()
    expect(test.text('Drafts/x.md')).toBe(draft())
    // A record that cannot be read must not make everything look as if moved by hand.
    await expect(standingAt(recordsIn(vault), 'Approved/y.md')).rejects.toThrow('not a file')
  })
})

describe('an approval by command', () => {
  it('is not escaped by a new name and a new text, nor by leaving the approval out of the note', async () => {
    const { vault, test, at } = draftsIn()
    await approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)
    rmSync(at('Approved/x.md'))
    test.put('Approved/y.md', draft('', 'Something else\n'))
    test.put('Approved/z.md', draft('', 'To another\n').replace('jane', 'bob'))
    expect((await standingAt(recordsIn(vault), 'Approved/y.md')).is).toBe('void')
    expect((await standingAt(recordsIn(vault), 'Approved/z.md')).is).toBe('by hand')
  })

  it('is over when its mail has left: the name and the mail that it answered are free again', async () => {
    const answer = (body: string) => draft('reply_to_message_id: abc\n', body)
    const { vault, test, approvals, at } = draftsIn({ 'Drafts/x.md': answer('Yes\n') })
    await approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)
    rmSync(at('Approved/x.md'))
    const places = ['Approved/x.md', 'Approved/y.md']
    for (const path of places) test.put(path, answer('And this, too\n'))
    const standings = (records = recordsIn(vault)) =>
      Promise.all(places.map(async (path) => (await standingAt(records, path)).is))
    expect(await standings()).toEqual(['void', 'void'])
    const approval_id = (await approvals.verdicts())[0]?.id
    const sent = recordsIn(vault, { name: 'x.md', state: 'sent', approval_id })
    expect(await standings(sent)).toEqual(['by hand', 'by hand'])
  })
})

describe('a reply under another subject than its mail', () => {
  const mail = '---\nmessage_id: abc\nsubject: "Re:  Offer\u200b"\nstatus: drafted\n---\nWell?\n'
  const answer = (subject: string) =>
    `---\nto: jane@example.com\nsubject: "${subject}"\nreply_to_message_id: abc\n---\nYes\n`

  it.each(['Needs_Action/mail.md', 'Done/mail.md'])(
    'is not approved by command, for one at %s',
    async (path) => {
      const { vault, test, approvals } = draftsIn({ [path]: mail, 'Drafts/x.md': answer('Lunch') })
      const words = 'under the subject of the mail that it answers: "Re: Offer"'
      await expect(approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)).rejects.toThrow(words)
      expect(await approvals.verdicts()).toEqual([])
      for (const [index, subject] of ['re: RE: Offer', 'Offer', 'Re: Offer'].entries()) {
        test.put(`Drafts/${index}.md`, answer(subject))
        await approveAsItIs(recordsIn(vault), `Drafts/${index}.md`, anna)
      }
    },
  )
})

describe('the record', () => {
  it('is read again only when it has changed', async () => {
    const { vault, approvals } = draftsIn()
    expect(await approvals.verdicts()).toEqual([])
    await approveAsItIs(recordsIn(vault), 'Drafts/x.md', anna)
    const verdicts = await approvals.verdicts()
    expect(verdicts).toMatchObject([{ event: 'approved', by: 'anna', note: 'Approved/x.md' }])
    expect(await approvals.verdicts()).toBe(verdicts)
    await reject(recordsIn(vault), 'Approved/x.md', anna)
    expect(await approvals.verdicts()).toHaveLength(2)
  })
})
