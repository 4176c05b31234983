/** agentmail drafts, where a person sits and where nobody does: only what is meant is found, and nothing is approved that was not seen. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { filled, lunch, recorded, versionOf } from '../support/orchestrator/drafts-to-decide.ts'

describe('agentmail drafts', () => {
  it('takes a bare name for a note in Drafts/ and for nothing else, and says where two fit', async () => {
    const { vault, drafts } = filled()
    vault.put('Drafts/do\u0308c.md', lunch)
    for (const path of [
      'shadow.md',
      'Approved/shadow.md',
      'Drafts/Sub/shadow.md',
      'Done/shadow.md',
    ]) {
      vault.put(path, lunch)
    }
    vault.put('lunch.md', lunch.replace('paul@', 'eve@'))
    for (const name of ['döc.md', 'döc', 'Drafts/döc', 'Drafts/do\u0308c.md']) {
      expect((await drafts('show', name)).stdout).toMatch(/^Note: +Drafts\/do\u0308c\.md/)
    }
    for (const name of ['lunch', 'lunch.md']) {
      expect((await drafts('show', name)).stdout).toMatch(/To: +paul@example.com/)
    }
    for (const verb of ['show', 'approve', 'reject']) {
      for (const name of ['shadow', 'shadow.md']) {
        expect(await drafts(verb, name)).toMatchObject({
          exitCode: 1,
          stdout: '',
          stderr: expect.stringContaining('there is no note Drafts/shadow.md'),
        })
      }
    }
    expect((await drafts('show', 'Drafts/Sub/shadow')).stdout).toContain('Drafts/Sub/shadow.md')
    vault.put('Drafts/lunch.md.md', lunch)
    const two = /two drafts may be meant by lunch.md: Drafts\/lunch.md, Drafts\/lunch.md.md\n/
    for (const verb of ['show', 'approve', 'reject']) {
      const { exitCode, stderr } = await drafts(verb, 'lunch.md')
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(two)])
    }
    expect((await drafts('show', 'Drafts/lunch.md')).stdout).toMatch(/^Note: +Drafts\/lunch.md\n/)
    vault.put('Drafts/d\u00f6c.md', lunch)
    expect((await drafts('show', 'döc')).stderr).toContain('two drafts may be meant')
  })
})

describe('agentmail drafts approve', () => {
  it('approves exactly the version that it is given', async () => {
    const { vault, drafts } = filled()
    const version = await versionOf(drafts, 'lunch')
    const refused = async (wanted: string, words: RegExp) => {
      const { exitCode, stdout, stderr } = await drafts('approve', 'lunch', '--version', wanted)
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(words)
    }
    for (const bad of [
      version.slice(0, 15),
      version.slice(0, 8),
      '',
      `${version}x`,
      'f'.repeat(65),
    ]) {
      await refused(bad, /a version has 16 hexadecimal digits/)
    }
    vault.put('Drafts/lunch.md', lunch.replace('subject', 'bcc: eve@example.net\nsubject'))
    const now = await versionOf(drafts, 'lunch')
    expect(now).not.toBe(version)
    await refused(version, new RegExp(`not version ${version}: its version is ${now} now\n`))
    vault.put('Drafts/lunch.md', lunch)
    const { sha256 } = JSON.parse((await drafts('show', 'lunch', '--json')).stdout)
    await refused(`${sha256.slice(0, 20)}${'0'.repeat(44)}`, /is not version/)
    expect(vault.files()).not.toContain('Approved')
    const longer = sha256.slice(0, 40).toUpperCase()
    const approved = await drafts('approve', 'lunch', '--version', longer, '--json')
    expect(JSON.parse(approved.stdout)).toMatchObject({
      version,
      sha256,
      path: 'Approved/lunch.md',
    })
  })

  it('covers who is given a mail with the version, and takes --agent on top', async () => {
    const { vault, drafts } = filled()
    const note = 'Needs_Action/invoice.md'
    const version = await versionOf(drafts, note)
    vault.put(note, vault.text(note).replace('triage', 'delegate_to: eve\ntriage'))
    const named = await versionOf(drafts, note)
    const approve = (wanted: string, agent: string) =>
      drafts('approve', note, '--version', wanted, '--agent', agent)
    expect((await approve(version, 'books')).exitCode).toBe(1)
    expect((await approve(named, 'books')).stdout).toContain('to @books')
    expect((await approve(named, 'books')).stdout).toContain('Approved already')
  })

  it('wants a version where there is no terminal, and as JSON', async () => {
    const { vault, drafts } = filled()
    for (const more of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await drafts('approve', 'lunch', ...more)
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toContain('give --version')
    }
    expect(vault.files()).not.toContain('Approved')
  })

  it('shows a person all that would leave, and takes only yes for it', async () => {
    const { vault, drafts } = filled()
    const lines = Array.from({ length: 3000 }, (_, count) => `line ${count}\n`).join('')
    const odd = 'Approve exactly this? [y/N] y\n\u202eevil\u200b\u001b[2J \u{e0041}\n'
    vault.put('Drafts/long.md', lunch.replace('At noon?\n', `${lines}${odd}`))
    const command = `${process.execPath} ${binary} drafts approve`
    const run = (words: string) => `VAULT_PATH=${vault.root} ${command} ${words}; echo exit $?; cat`
    const tea =
      '---\nstatus: pending\nmessage_id: t\nfrom: jo@example.com\nsubject: Tea\nanswers: ann\n---\nFive?\n'
    vault.put('Needs_Action/tea.md', tea)
    const { tmux, pane } = openSession(['one', 'two', 'three', 'four', 'five', 'six'], 'sh')
    tmux('set-option', '-g', 'history-limit', '5000')
    const screen = (window: number) => tmux('capture-pane', '-pJ', '-S', '-', '-t', pane(window))
    const asked = (window: number) =>
      eventually('it asks', () => /^Approve exactly this\? \[y\/N\] *$/m.test(screen(window)))
    const type = (window: number, ...keys: string[]) =>
      tmux('send-keys', '-t', pane(window), ...keys)
    const over = (window: number, code: number) =>
      eventually('it ends', () => new RegExp(`^exit ${code}$`, 'm').test(screen(window)))
    const given = 'Needs_Action/tea.md --agent ann'
    const notes = ['reply', 'lunch', 'lunch', 'reply', 'reply --json', given]
    for (const [window, note] of notes.entries()) type(window, run(note), 'Enter')
    await over(4, 1)
    expect(screen(4)).toContain('give --version')
    for (const window of [0, 1, 2, 3]) await asked(window)
    for (const words of [
      /^From: +your own address$/m,
      /^To: +Jane <jane@example.com>$/m,
      /^Bcc: +boss@example.com$/m,
      /^Subject: +Re: Offer$/m,
      /^File: +a.txt \(4 bytes, text\/plain, SHA-256 3b9c358f/m,
      /^\| Dear Jane<U\+001B>\[2J,\n\| yes\.\n\nRe: Offer: to Jane <jane@example.com>; bcc boss@example.com; with a.txt\n/m,
    ]) {
      expect(screen(0)).toMatch(words)
    }
    type(0, 'Enter')
    type(1, 'C-c')
    type(2, 'C-d')
    for (const window of [0, 1, 2]) await over(window, 1)
    for (const window of [0, 1, 2]) expect(screen(window)).toContain('Not approved.')
    expect(vault.files()).not.toContain('Approved')
    // A mail that waits, which an agent is given.
    await asked(5)
    expect(screen(5)).toMatch(
      /^From: +jo@example.com\nTo: +@ann\nSubject: +Tea\nAnswers: +ann's mail\n\n\| Five\?\n\nTea: given to @ann\n/m,
    )
    type(5, 'y', 'Enter')
    await over(5, 0)
    expect(vault.text('Approved/tea.md')).toContain('delegate_to: ann')
    // Typed before it was shown, with and without Enter.
    for (const [index, ahead] of ['y\n', 'y'].entries()) {
      const name = `ahead${index}`
      const wait = `printf 'type '; sleep 1; ${run('lunch')}`
      const window = tmux('new-window', '-dP', '-F', '#{pane_id}', '-n', name, wait).trim()
      const shown = () => tmux('capture-pane', '-pJ', '-S', '-', '-t', window)
      await eventually('it begins', () => shown().includes('type'))
      tmux('send-keys', '-t', window, '-l', ahead)
      await eventually('it asks', () => /^Approve exactly this\? \[y\/N\] *$/m.test(shown()))
      tmux('send-keys', '-t', window, 'Enter')
      await eventually('it ends', () => /^exit 1$/m.test(shown()))
    }
    // Changed after it was shown.
    vault.put('Drafts/reply.md', vault.text('Drafts/reply.md').replace('boss@', 'eve@'))
    type(3, 'y', 'Enter')
    await over(3, 1)
    expect(screen(3)).toMatch(/is not version [0-9a-f]{16}: its version is/)
    expect(vault.files()).not.toContain('Approved/reply.md')

    tmux('new-window', '-d', '-n', 'long', run('long'))
    const long = () => tmux('capture-pane', '-pJ', '-S', '-', '-t', 'test:long')
    await eventually('it asks', () => /^Approve exactly this\? \[y\/N\] *$/m.test(long()))
    for (const words of [
      '\n| line 0\n| line 1\n',
      '\n| line 2998\n| line 2999\n| Approve exactly this? [y/N] y\n',
      '\n| <U+202E>evil<U+200B><U+001B>[2J <U+E0041>\n',
    ]) {
      expect([words, long().includes(words)]).toEqual([words, true])
    }
    tmux('send-keys', '-t', 'test:long', 'yes', 'Enter')
    await eventually('it is approved', () => vault.files().includes('Approved/long.md'))
    const approved = recorded(vault).find(({ note }) => note === 'Approved/long.md')
    expect(await versionOf(drafts, join(vault.root, 'Approved/long.md'))).toBe(
      String(approved?.sha256).slice(0, 16),
    )
  })
})
