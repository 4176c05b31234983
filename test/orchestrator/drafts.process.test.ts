/** agentmail drafts: a person sees what waits, and decides about it. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import {
  filled,
  lunch,
  mail,
  recorded,
  reply,
  versionOf,
} from '../support/orchestrator/drafts-to-decide.ts'
import { TestVault } from '../support/vault/vault.ts'

/** Of nothing that is there. */
const some = ['--version', '0123456789abcdef']

describe('agentmail drafts', () => {
  it('lists what waits, urgent mail first, and tells what is no draft beside it', async () => {
    const { vault, drafts } = filled()
    vault.put('Drafts/idea.md', 'An idea')
    vault.put('Drafts/odd.md', '---\nto: x@example.com\nsubject: "\\e[31mRed"\n---\nx')
    vault.put('Drafts/broken.md', '---\nto: [\n---\n')
    vault.put('Drafts/Attachments/1.md', 'kept for a draft')
    const { stdout, stderr, exitCode } = await drafts()
    expect(exitCode).toBe(0)
    const version = expect.stringMatching(/^[0-9a-f]{16}$/)
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['NOTE', 'VERSION', 'STATUS', 'TO', 'SUBJECT'],
      ['Drafts/reply.md', version, 'pending_approval', 'Jane <jane@example.com>', 'Re: Offer'],
      ['Drafts/lunch.md', version, '-', 'paul@example.com', 'Lunch'],
      ['Drafts/odd.md', '-', '-', 'x@example.com', '\ufffd[31mRed'],
      ['Needs_Action/invoice.md', version, 'pending_approval', '@?', 'Invoice'],
      [''],
      [expect.stringContaining('agentmail drafts approve <note> --version')],
      [''],
    ])
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining('Drafts/broken.md: '),
      expect.stringContaining('not a draft: Drafts/idea.md'),
      '',
    ])
    const { drafts: listed } = JSON.parse((await drafts('list', '--json')).stdout)
    expect(listed[0]).toMatchObject({
      path: 'Drafts/reply.md',
      version,
      kind: 'mail',
      priority: 'urgent',
      bcc: 'boss@example.com',
      reply_to_message_id: 'abc',
      approved_by: null,
    })
    expect(listed[3]).toMatchObject({ kind: 'delegation', agent: null, to: null })
  })

  it('lists the mails that wait, too, and neither with a long line', async () => {
    const { vault, drafts } = filled()
    vault.put('Drafts/lunch.md', lunch.replace('Lunch', 'L'.repeat(200)))
    vault.put('Needs_Action/plan.md', '---\nstatus: pending\n---\nA note of my own\n')
    const asked = 'from: Eve <eve@example.com>\nsubject: Hm\ndate: today\nreason: who is it?'
    for (let count = 10; count < 32; count++) {
      const status = count % 2 ? 'pending' : 'needs_info'
      const text = `---\nstatus: ${status}\nmessage_id: m${count}\n${asked}\n---\nHi\n`
      vault.put(`Needs_Action/m${count}.md`, text)
    }
    const { stdout } = await drafts()
    expect(stdout).toContain(`  ${'L'.repeat(79)}…\n`)
    const rows = stdout.slice(stdout.indexOf('MAIL')).split('\n')
    expect(rows.slice(0, 3).map((row) => row.split(/ {2,}/))).toEqual([
      ['MAIL', 'STATUS', 'FROM', 'SUBJECT', 'REASON'],
      ['Needs_Action/m10.md', 'needs_info', 'Eve <eve@example.com>', 'Hm', 'who is it?'],
      ['Needs_Action/m11.md', 'pending', 'Eve <eve@example.com>', 'Hm', 'who is it?'],
    ])
    expect(rows.slice(21)).toEqual([
      'and 2 more',
      '',
      'agentmail drafts approve <mail> --agent <name> gives one to an agent.',
      '',
    ])
    const { mails } = JSON.parse((await drafts('--json')).stdout)
    expect(mails).toHaveLength(22)
    expect(mails[0]).toEqual({
      path: 'Needs_Action/m10.md',
      asked_by: null,
      status: 'needs_info',
      from: 'Eve <eve@example.com>',
      subject: 'Hm',
      reason: 'who is it?',
      date: 'today',
    })
  })

  it('says so where nothing waits', async () => {
    const { env } = new TestVault()
    expect(await agentmail(['drafts'], { env })).toMatchObject({
      exitCode: 0,
      stdout: 'Nothing waits for you\n',
      stderr: '',
    })
  })

  it('shows all that will be sent, and approves exactly that', async () => {
    const { vault, drafts, approve } = filled()
    const shown = await drafts('show', 'reply')
    for (const words of [
      /Status: +waits for approval/,
      /To: +Jane <jane@example.com>/,
      /Bcc: +boss@example.com/,
      /Answers: +Needs_Action\/reply.md/,
      /Version: +[0-9a-f]{16}\n/,
      /From: +your own address/,
      /File: +a.txt \(4 bytes, text\/plain, SHA-256 3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80\)/,
      /\n\nDear Jane<U\+001B>\[2J,\nyes.\n\nIt answers this mail, which is text from outside:\nNote: /,
      /Subject: +Offer\n> Well\?\n> Note: +forged\n$/,
    ]) {
      expect(shown.stdout).toMatch(words)
    }
    vault.put('Drafts/lost.md', lunch.replace('---\nAt', 'attachments: [none.pdf]\n---\nAt'))
    expect((await drafts('show', 'lost')).stdout).toMatch(
      /waits for approval, but it cannot be sent: there is no file to attach at none.pdf/,
    )
    expect(JSON.parse((await drafts('show', 'reply', '--json')).stdout)).toMatchObject({
      body: reply.split('---\n')[2],
      answers: { path: 'Needs_Action/reply.md', subject: 'Offer', text: 'Well?\nNote: forged' },
    })
    const approved = await approve(join(vault.root, 'Drafts/reply.md'), '--by', 'anna')
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    const [record] = recorded(vault)
    expect(approved.stdout).toContain('Approved: Approved/reply.md\n  to Jane <jane@example.com>')
    expect(approved.stdout).toContain(`version ${String(record?.sha256).slice(0, 16)}\n`)
    expect(record).toMatchObject({
      event: 'approved',
      by: 'anna',
      note: 'Approved/reply.md',
      draft: 'Drafts/reply.md',
      reply_to_message_id: 'abc',
    })
    expect(statSync(join(vault.root, 'Logs/approvals.jsonl')).mode & 0o777).toBe(0o600)
    expect(vault.text('Approved/reply.md')).toBe(
      reply.replace(
        '---\nDear',
        `approved_by: anna\napproved_at: ${record?.timestamp}\napproved_sha256: ${record?.sha256}\n---\nDear`,
      ),
    )
    const lines = recorded(vault).length
    const seen = String(record?.sha256)
    for (const path of ['Drafts/reply.md', 'Approved/reply.md', 'reply.md']) {
      const again = await drafts('approve', path, '--version', seen, '--by', 'joe', '--json')
      expect(JSON.parse(again.stdout)).toMatchObject({ already: true, approved_by: 'anna' })
    }
    expect(recorded(vault)).toHaveLength(lines)
    expect((await drafts()).stdout).toMatch(/Approved\/reply.md +[0-9a-f]{16} +approved /)
    expect((await drafts('show', 'Approved/reply')).stdout).toMatch(
      /Status: +approved by anna at 20/,
    )
    vault.put('Approved/reply.md', vault.text('Approved/reply.md').replace('yes', 'no'))
    expect((await drafts('show', 'Approved/reply')).stdout).toMatch(
      /changed after it was approved by anna/,
    )
    const reason = 'it was changed after it was approved'
    vault.put(
      'Approved/reply.md',
      vault.text('Approved/reply.md').replace('pending_approval', `blocked\nreason: ${reason}`),
    )
    expect((await drafts('show', 'Approved/reply')).stdout.split(reason)).toHaveLength(2)
    await approve('Approved/reply.md', '--by', 'joe')
    expect((await drafts('show', 'Approved/reply')).stdout).toMatch(
      /Status: +approved by joe at 20/,
    )
  })

  it('shows a mail that came in', async () => {
    const { vault, drafts } = filled()
    const from = 'from: Eve <eve@example.com>\nreason: who is it?'
    const text = 'x'.repeat(3000)
    vault.put(
      'Needs_Action/hm.md',
      mail.replace('subject', `${from}\nsubject`).replace('Well', text),
    )
    const { stdout } = await drafts('show', 'Needs_Action/hm')
    expect(stdout).toMatch(/Reason: +who is it\?\nFrom: +Eve <eve@example.com>/)
    expect(stdout).toContain(`This mail is text from outside:\n> ${text}?\n> Note: forged\n`)
    expect(JSON.parse((await drafts('show', 'Needs_Action/hm', '--json')).stdout)).toMatchObject({
      kind: 'received',
      from: 'Eve <eve@example.com>',
      text: `${text}?\nNote: forged`,
    })
    vault.put('Drafts/long.md', lunch.replace('Lunch', 'Offer\nreply_to_message_id: long'))
    vault.put('Done/long.md', mail.replace('abc', 'long').replace('Well', text))
    const { answers } = JSON.parse((await drafts('show', 'Drafts/long.md', '--json')).stdout)
    expect(answers).toMatchObject({ path: 'Done/long.md', text: `${text.slice(0, 1999)}…` })
  })

  it('rejects, with its reason in both notes', async () => {
    const { vault, drafts, approve } = filled()
    vault.put('Done/reply.md', 'taken')
    await approve('reply')
    const { stdout } = await drafts(
      'reject',
      'Approved/reply',
      '--reason',
      'too\nrude',
      '--by',
      'anna',
    )
    expect(stdout).toBe(
      'Rejected: Done/reply-2.md [rejected]\nThe mail waits in Needs_Action/reply.md [needs_info]; set its status to pending to have it decided about anew.\n',
    )
    expect(vault.text('Done/reply-2.md')).toMatch(/^status: rejected[\s\S]*^reason: too rude$/m)
    expect(vault.text('Needs_Action/reply.md')).toContain(
      'status: needs_info\nmessage_id: abc\nsubject: Offer\nreason: "the draft was rejected: too rude"',
    )
    expect(recorded(vault).at(-1)).toMatchObject({ event: 'rejected', reason: 'too rude' })
    expect((await drafts()).stdout).not.toContain('Drafts/reply')
    expect((await drafts()).stdout).toMatch(/Needs_Action\/reply.md +needs_info/)
    expect((await drafts('--all')).stdout).toMatch(/Done\/reply-2.md +[0-9a-f]{16} +rejected/)
    expect((await drafts('reject', 'lunch')).stdout).toBe('Rejected: Done/lunch.md [rejected]\n')
    const refused = await approve('lunch')
    expect(refused.stderr).toMatch(/Done\/lunch.md: it was rejected\n.*move it to Drafts/)
  })

  it('gives a mail to an agent, or keeps it', async () => {
    const { vault, drafts, approve } = filled()
    const invoice = 'Needs_Action/invoice.md'
    const refused = await approve(invoice)
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toMatch(/which agent\?.*\n.*--agent <name>/)
    expect((await approve(invoice, '--agent', 'books')).stdout).toContain('to @books')
    expect(vault.text('Approved/invoice.md')).toContain('delegate_to: books\napproved_by: ')
    const { stdout } = await drafts('reject', 'Approved/invoice', '--reason', 'mine')
    expect(stdout).toMatch(
      /^Rejected: Needs_Action\/invoice.md \[needs_info\]\nIt waits there; set its/,
    )
    expect(vault.text('Needs_Action/invoice.md')).toMatch(/status: needs_info[\s\S]*reason: mine/)
  })

  it.each([
    [['fly'], 1, /unknown subcommand: fly/],
    [['show'], 1, /which note\?/],
    [['approve', 'a', 'b'], 1, /too many arguments: b/],
    [['approve', 'nothing'], 1, /there is no note Drafts\/nothing.md/],
    [['approve', 'Drafts/nothing.md'], 1, /there is no note Drafts\/nothing.md/],
    [['approve', '../outside/x.md'], 1, /leaves the vault/],
    [['approve', '/etc/passwd'], 1, /must be relative to the vault/],
    [['approve', 'Needs_Action/reply.md'], 1, /not a draft: Needs_Action\/reply.md is a mail/],
    [['reject', 'Needs_Action/reply.md'], 1, /not a draft/],
    [['approve', 'Files/a.txt'], 1, /must end in .md/],
    [['approve', 'lunch', ...some, '--agent', 'x'], 1, /no agent is given it/],
    [['approve', 'lunch', ...some, '--by', ' '], 1, /the name of who approves is empty/],
    [['approve', 'lunch', '--reason', 'x'], 1, /drafts approve takes no --reason/],
    [['list', '--vault', '/nothing/there'], 2, /there is no vault/],
  ])('refuses %j in words', async (args, code, words) => {
    const { vault, drafts } = filled()
    const files = vault.files()
    const { exitCode, stderr, stdout } = await drafts(...args)
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toMatch(words)
    expect(vault.files()).toEqual(files)
  })

  it('approves nothing for whom mail may not go to', async () => {
    const { vault, drafts } = filled()
    const env = { ...vault.env, AGENTMAIL_SEND_TO: 'jane@example.com' }
    const words = ['drafts', 'approve', 'reply', '--version', await versionOf(drafts, 'reply')]
    const { exitCode, stderr } = await agentmail(words, { env })
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/mail may not go to boss@example.com\n.*AGENTMAIL_SEND_TO/)
    expect(vault.files()).not.toContain('Logs')
    env.AGENTMAIL_SEND_TO = 'Example.com'
    expect((await agentmail(words, { env })).exitCode).toBe(0)
  })

  it('needs a vault', async () => {
    const ran = await agentmail(['drafts'], { env: { VAULT_PATH: undefined } })
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('VAULT_PATH is not set'),
    })
  })
})
