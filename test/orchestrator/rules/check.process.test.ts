/** `agentmail rules` on a vault with mails: what each rule takes and why, and what is wrong with the rules. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'
import { registeredAt } from '../../support/orchestrator/registered.ts'
import { VaultClient } from '../../support/vault/vault-client.ts'

const archive = { decision: 'archive' }

/** Lines and colours for a terminal, and what nobody sees. */
const hostile = 'Hi\u001b[2J\u202egnihton\u202c \u200bthere'

const filesOf = (home: OrchestratorHome) =>
  ['Needs_Action', 'Drafts', 'Approved', 'Done'].flatMap((folder) =>
    home.list(folder).map((path) => [path, home.text(path)]),
  )

describe('agentmail rules check', () => {
  it('says of the mails that were taken in which rule takes each, and why, and changes nothing', async () => {
    const home = await OrchestratorHome.make([{ from: 'news@', ...archive }])
    home.drop({
      subject: 'Weekly',
      from: 'News <news@example.com>',
      date: 'Mon, 05 Jan 2026 10:00:00 +0000',
    })
    home.drop({
      subject: 'Invoice 5',
      body: 'Please pay.',
      date: 'Mon, 05 Jan 2026 11:00:00 +0000',
    })
    home.drop({ subject: hostile, date: 'Mon, 05 Jan 2026 12:00:00 +0000' })
    expect((await home.once()).exitCode).toBe(0)
    home.rules([
      { from: 'news@', ...archive },
      { subject: 'invoice', body: 'pay', decision: 'needs_info' },
      { from: 'news', ...archive },
      { subject: 'hi', from: 'joe', ...archive },
    ])
    const before = filesOf(home)
    const { stdout, ...ran } = await home.run(['rules', 'check'])
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    const [header, ...lines] = stdout.split('\n')
    expect(header).toMatch(/^RULE {2}DECISION +FROM +SUBJECT +WHY$/)
    expect(lines.map((one) => one.replace(/ {2,}/g, ' | '))).toEqual([
      '- | waits for you | Jane Doe <jane@example.com> | Hi [2Jgnihton there | no rule fits; the nearest is rule 4: subject has "hi", but from does not have "joe"',
      '2 | needs_info | Jane Doe <jane@example.com> | Invoice 5 | subject has "invoice" in "Invoice 5", body has "pay" in "Please pay."',
      '1 | archive | News <news@example.com> | Weekly | from has "news@" in "News <news@example.com>" (so would rule 3, after it)',
      '',
      '4 rules; 3 mails, 2 taken by a rule.',
      'Rule 3 took none: what fits it is taken by rule 1 before.',
      'Rule 4 took none.',
      '',
    ])
    const json = JSON.parse((await home.run(['rules', 'check', '--limit', '2', '--json'])).stdout)
    expect(json).toMatchObject({
      ...{ rules: 4, errors: [], unknown_names: [], source: 'vault' },
      mails: [
        { rule: null, decision: null, looked_at: { rule: 4 } },
        { rule: 2, note: expect.stringMatching(/^Needs_Action\/invoice-5-/), subject: 'Invoice 5' },
      ],
    })
    expect([filesOf(home), await home.sent()]).toEqual([before, []])
  })

  it('asks the mail service where no mail was taken in, or where it is to', async () => {
    const home = await OrchestratorHome.make([{ subject: 'lunch', ...archive }])
    home.drop({ subject: 'Lunch?' })
    const { stdout, exitCode } = await home.run(['rules', 'check'])
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('1 rule; 1 mail of the inbox, 1 taken by a rule.'),
    ])
    expect(stdout).toContain('subject has "lunch" in "Lunch?"')
    expect(home.list('Needs_Action')).toEqual([])
    await home.once()
    home.drop({ subject: 'Supper?' })
    const both = JSON.parse((await home.run(['rules', 'check', '--inbox', '--json'])).stdout)
    expect(both.mails.map(({ rule }: { rule: number | null }) => rule).sort()).toEqual([1, null])
  })

  it('tells everything that is wrong, by line and column, as the orchestrator does', async () => {
    const home = await OrchestratorHome.make()
    home.put(
      'Rules.md',
      '---\nrules:\n  - form: x\n    decision: archive\n  - subject: 5\n    decision: urgent\n---\n',
    )
    home.drop({ subject: 'x' })
    const { exitCode, stdout } = await home.run(['rules', 'check'])
    expect([exitCode, stdout.split('\n')]).toEqual([
      1,
      [
        'Rules.md:3:5: rule 1: it must not have the key "form". Did you mean from?',
        'Rules.md:3:5: rule 1: it names none of from, to, subject, body, so it would fit every mail',
        'Rules.md:5:14: rule 2: "subject" must be a text (put it in quotes)',
        'Rules.md:6:15: rule 2: it has no reply, and this decision needs one',
        '',
        'No rule decides about any mail until these are mended.',
        '',
      ],
    ])
    expect((await home.once()).told('trouble')).toEqual([
      'rules: Rules.md:3:5: rule 1: it must not have the key "form". Did you mean from? (and 3 more: see agentmail rules check)',
    ])
    home.put('Rules.md', '---\nrules:\n  - from: [x\n---\n')
    expect(await home.run(['rules', 'check'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^Rules\.md:3:11: the front matter cannot be read: .*bracket/),
    })
    home.remove('Rules.md')
    mkdirSync(join(home.root, 'Rules.md'))
    expect(await home.run(['rules', 'check'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^error: Rules\.md: it is a folder, not a note\nMove the folder/,
      ),
    })
    expect((await home.once()).told('trouble')).toEqual([
      expect.stringContaining('Rules.md: it is a folder, not a note. Move the folder away'),
    ])
    home.remove('Rules.md')
    expect(await home.run(['rules', 'check'])).toMatchObject({
      ...{ exitCode: 1, stderr: expect.stringContaining('there is no Rules.md in the vault') },
    })
    expect((await home.run(['rules', 'check'], { VAULT_PATH: undefined })).exitCode).toBe(2)
  })

  it('names who is to be given mail and is not there', async () => {
    const delegate = (name: string) => ({ subject: name, decision: 'delegate', delegate_to: name })
    const home = await OrchestratorHome.make(['clerk', '@planner', 'plannr', 'human'].map(delegate))
    spawnSync('git', ['init', '-q'], { cwd: home.folder })
    await home.run(['status', 'work'], { AGENTMAIL_AGENT: 'clerk' }) // has a mailbox
    await registeredAt(home, 'planner', 'plans')
    home.drop({ subject: 'x' })
    const { exitCode, stdout } = await home.run(['rules', 'check', '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).unknown_names).toEqual([
      {
        ...{ rule: 3, line: 2, column: expect.any(Number) },
        text: expect.stringMatching(
          /^Rules\.md:2:\d+: rule 3: nobody is called "plannr"\. Did you mean planner\?$/,
        ),
      },
      expect.objectContaining({
        rule: 4,
        text: expect.stringContaining('nobody is called "human"'),
      }),
    ])
  })

  it('names them beside all else that is wrong, and what stands in vain beside the rules', async () => {
    const home = await OrchestratorHome.make()
    await registeredAt(home, 'planner', 'plans')
    home.put(
      'Rules.md',
      '---\nrulez: []\nrules:\n  - from: [a, b]\n    decision: delegate\n  - from: x\n    decision: archiv\n  - from: y\n    decision: delegate\n    delegate_to: plannr\n---\n',
    )
    const { exitCode, stdout } = await home.run(['rules', 'check'])
    expect([exitCode, stdout.split('\n')]).toEqual([
      1,
      [
        'Rules.md:4:11: rule 1: "from" must be one text: write a rule for each',
        'Rules.md:5:15: rule 1: delegate_to names nobody',
        expect.stringMatching(/^Rules\.md:7:15: rule 2: .*delegate\. Did you mean archive\?$/),
        'Rules.md:10:18: rule 3: nobody is called "plannr". Did you mean planner?',
        'Only "rules" is read: what stands under "rulez" decides nothing.',
        '',
        'No rule decides about any mail until these are mended.',
        '',
      ],
    ])
  })

  it('names what a rule says in vain, which is no fault', async () => {
    const home = await OrchestratorHome.make()
    home.put(
      'Rules.md',
      '---\nrules:\n  - from: x\n    decision: archive\n    reply: Yes.\n    delegate_to: planner\n  - from: y\n    decision: draft_reply\n    reply: Yes.\n    delegate_to: ""\n---\n',
    )
    const { exitCode, stdout } = await home.run(['rules', 'check', '--json'])
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        errors: [],
        notes: [
          'Rules.md:5:5: rule 1: reply does nothing with archive: it is for draft_reply and urgent',
          'Rules.md:6:5: rule 1: delegate_to does nothing with archive: it is for delegate',
        ],
      },
    ])
  })

  it('is told to whoever says agentmail rules alone', async () => {
    const home = await OrchestratorHome.make()
    expect(await home.run(['rules'])).toMatchObject({
      ...{ exitCode: 0, stdout: expect.stringContaining('Usage: agentmail rules check') },
    })
  })
})

describe('the schema for editors', () => {
  it('stands beside new rules, which name it, and no tool can write it', async () => {
    const home = await OrchestratorHome.make()
    home.remove('Rules.md')
    expect((await home.run(['vault', 'init', home.root])).stdout).toContain('Rules.md')
    const [, comment = ''] = home.text('Rules.md').split('\n')
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(comment) ?? []
    const text = readFileSync(join(home.root, path), 'utf8')
    const { stdout } = await home.run(['rules', 'schema'])
    expect(text).toBe(stdout)
    expect((await home.run(['rules', 'check'])).exitCode).toBe(0)
    const uncommented = home.text('Rules.md').replace(/^( {2})# (?=- | {2})/gm, '$1')
    home.put('Rules.md', uncommented)
    expect((await home.run(['rules', 'check'])).stdout).toMatch(
      /rule 3: nobody is called "bookkeeper"/,
    )
    const client = await VaultClient.open(home)
    for (const name of ['Rules.schema.json', 'Rules.md']) {
      await expect(client.write(name, {}, 'x')).rejects.toThrow()
    }
    expect(readFileSync(join(home.root, path), 'utf8')).toBe(text)
  })
})
