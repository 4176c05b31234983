/** Mail of a local folder is taken in once, by its content, also where an earlier version has taken it in by the names of files. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mailNoteName, replyNoteName } from '../../src/orchestrator/inbox/mail-note.ts'
import { sha256 } from '../../src/system/text.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'
import { mail, putQuiet } from '../support/providers/local-folder.ts'

const rules = [
  { subject: 'hours', decision: 'draft_reply', reason: 'asked', reply: 'Nine to five.' },
]
const asked = (number: number) =>
  mail(
    { From: 'Jane <jane@example.com>', Subject: `hours ${number}`, 'Message-ID': `<${number}@x>` },
    `When, ${number}?`,
  )

describe('local mail', () => {
  it('is taken in once, whatever its file is called, and answered', async () => {
    const home = await OrchestratorHome.make(rules)
    const inbox = join(home.folder, 'mail/inbox')
    putQuiet(join(inbox, 'a.eml'), asked(1))
    await home.once()
    renameSync(join(inbox, 'a.eml'), join(inbox, 'b.eml'))
    putQuiet(join(inbox, 'a.eml'), asked(2))
    expect((await home.once()).told('ingested')).toHaveLength(1)
    expect((await home.once()).told('ingested')).toEqual([])
    expect(home.list('Needs_Action')).toHaveLength(2)
    for (const path of home.list('Drafts')) home.approveByHand(path)
    expect((await home.once()).exitCode).toBe(0)
    const replies = (await home.sent()).map(({ subject, inReplyTo }) => [subject, inReplyTo])
    expect(replies.toSorted()).toEqual([
      ['Re: hours 1', '<1@x>'],
      ['Re: hours 2', '<2@x>'],
    ])
  })

  it('that was taken in by the name of its file is not taken in again, and its draft is sent', async () => {
    const home = await OrchestratorHome.make(rules)
    const inbox = join(home.folder, 'mail/inbox')
    mkdirSync(join(home.folder, 'mail/sent'))
    // What the version before has left: one mail answered with a draft, one filed.
    const ids = ['a.eml', 'b.eml'].map((name) => sha256(`inbox/${name}`).slice(0, 24))
    const [first = '', second = ''] = ids
    putQuiet(join(inbox, 'a.eml'), asked(1))
    putQuiet(join(inbox, 'b.eml'), asked(2))
    const taken = { from: 'Jane <jane@example.com>', to: 'bob@example.com' }
    home.draft(`Needs_Action/${mailNoteName('hours 1', first)}`, {
      ...{ status: 'drafted', message_id: first, subject: 'hours 1' },
      ...taken,
    })
    home.draft(`Done/${mailNoteName('hours 2', second)}`, {
      ...{ status: 'done', message_id: second, subject: 'hours 2' },
      ...taken,
    })
    home.draft(`Approved/${replyNoteName('hours 1', first)}`, {
      status: 'pending_approval',
      to: 'jane@example.com',
      subject: 'Re: hours 1',
      reply_to_message_id: first,
    })
    const state = { version: 1, ingested: ids, next_walk_ms: 0 }
    writeFileSync(join(home.root, 'Logs/orchestrator_state.json'), JSON.stringify(state))

    const ran = await home.once()
    expect([ran.exitCode, ran.told('ingested')]).toEqual([0, []])
    const [reply, ...others] = await home.sent()
    expect(others).toEqual([])
    expect(reply).toMatchObject({ subject: 'Re: hours 1', inReplyTo: '<1@x>' })
    expect(home.list('Needs_Action')).toEqual([])

    renameSync(join(inbox, 'a.eml'), join(inbox, 'c.eml'))
    putQuiet(join(inbox, 'a.eml'), asked(3))
    rmSync(join(home.folder, 'vault/Done'), { recursive: true })
    expect((await home.once()).told('ingested')).toEqual([expect.stringContaining('hours 3')])
  })
})
