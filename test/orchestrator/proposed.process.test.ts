/** A draft that was changed after it was proposed: moved by hand it goes nowhere new without a person's command. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { binary } from '../support/agentmail.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { ToolClient } from '../support/mcp/tool-client.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'

const rules = [{ from: '@', decision: 'draft_reply', reason: 'r', reply: 'Hello.' }]
const tools = async (home: OrchestratorHome, toolset: string, env: object = {}) =>
  new ToolClient(await connect('auto', { env: { ...home.env, ...env }, args: ['mcp', toolset] }))

describe('a draft that was changed after it was proposed', () => {
  it('is blocked when it is moved by hand, until it is put back or approved by command', async () => {
    const home = await OrchestratorHome.make(rules, {
      OBSIDIAN_MCP_SERVER: `${process.execPath} ${binary} mcp obsidian`,
    })
    for (const subject of ['back', 'command', 'text']) home.drop({ subject })
    await home.once()
    const by = async (subject: string) => (await home.noteOn('Drafts', `Re: ${subject}`)).path
    const change = (path: string, from: string | RegExp, to: string) =>
      home.put(path, home.text(path).replace(from, to))
    const [back = '', command = '', text = ''] = await Promise.all(
      ['back', 'command', 'text'].map(by),
    )
    change(back, /^subject/m, 'bcc: eve@example.net\nsubject')
    change(command, 'jane@example.com', 'jane@example.com, eve@example.net')
    change(text, 'Hello.', 'Hello, Jane.')
    expect((await home.run(['drafts', 'show', back])).stdout).toMatch(/^Changed: +bcc$/m)
    const [backed, commanded] = [back, command].map((path) => home.approveByHand(path))
    home.approveByHand(text)
    const worked = await home.once()
    expect([worked.exitCode, worked.told('blocked').length]).toEqual([1, 2])
    expect(await home.sentSubjects()).toEqual(['Re: text'])
    expect((await home.note(backed ?? '')).frontmatter).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('changed since it was proposed: bcc. Put that back'),
    })
    expect((await home.note(commanded ?? '')).frontmatter.reason).toContain(
      `agentmail drafts approve ${commanded}`,
    )
    change(backed ?? '', 'bcc: eve@example.net\n', '')
    expect((await home.approve(commanded ?? '')).exitCode).toBe(0)
    await home.once()
    const sent = (await home.sent()).map(({ subject, to, bcc }) => [subject, to?.length, bcc])
    expect(sent.sort()).toEqual([
      ['Re: back', 1, undefined],
      ['Re: command', 2, undefined],
      ['Re: text', 1, undefined],
    ])
  })

  it('is known whoever wrote it: a tool that sends, a tool that writes notes, or a person', async () => {
    const home = await OrchestratorHome.make()
    mkdirSync(join(home.root, 'Files'))
    home.put('Files/a.md', 'public')
    home.put('Files/secret.md', 'secret')
    const notes = await tools(home, 'obsidian')
    const gmail = await tools(home, 'gmail', { AGENTMAIL_SEND_POLICY: 'approve' })
    const mail = { to: 'jane@example.com', subject: 'sent', body: 'Hi' }
    const { draft } = await gmail.call('send_email', mail)
    const attachments = ['Files/a.md']
    const frontmatter = { to: 'jane@example.com', subject: 'written', attachments }
    await notes.call('write_note', { path: 'Drafts/written.md', frontmatter, body: 'Hi' })
    home.draft('Drafts/own.md', { to: 'jane@example.com', subject: 'own' })
    home.draft('Drafts/mine.md', { to: 'jane@example.com', subject: 'mine' })

    home.put(String(draft), home.text(String(draft)).replace('jane@', 'eve@'))
    await notes.call('move_note', { source: 'Files/a.md', destination: 'Files/b.md' })
    await notes.call('move_note', { source: 'Files/secret.md', destination: 'Files/a.md' })
    const toEve = { to: 'eve@example.net', subject: 'own' }
    await notes.call('write_note', { path: 'Drafts/own.md', frontmatter: toEve, body: 'Hi' })
    home.put('Drafts/mine.md', home.text('Drafts/mine.md').replace('jane@', 'joe@'))
    for (const path of home.list('Drafts')) home.approveByHand(path)
    const worked = await home.once()
    expect(worked.told('blocked')).toEqual([
      expect.stringContaining('since it was proposed: to.'),
      expect.stringContaining('since it was proposed: to.'),
      expect.stringContaining('since it was proposed: attachments.'),
    ])
    expect((await home.sent()).map(({ subject, to }) => [subject, to?.[0]?.address])).toEqual([
      ['mine', 'joe@example.com'],
    ])
  })

  it('is written to nobody but the sender of the mail, whatever its note says', async () => {
    const home = await OrchestratorHome.make()
    for (const subject of ['changed', 'copied', 'as it is']) home.drop({ subject })
    await home.once()
    const changed = await home.noteOn('Needs_Action', 'changed')
    const copied = await home.noteOn('Needs_Action', 'copied')
    const forged = (path: string) =>
      home.text(path).replaceAll('jane@example.com', 'eve@example.net')
    home.put(changed.path, forged(changed.path))
    home.put('Needs_Action/copy.md', forged(copied.path))
    home.remove(copied.path)
    home.rules(rules)
    await home.once()
    const drafts = await Promise.all(home.list('Drafts').map((path) => home.note(path)))
    expect(drafts.map(({ frontmatter }) => frontmatter.to)).toEqual(['jane@example.com'])
    for (const path of [changed.path, 'Needs_Action/copy.md']) {
      expect((await home.note(path)).frontmatter).toMatchObject({
        status: 'needs_info',
        reason: expect.stringContaining('its from is not the sender of the mail'),
      })
    }
  })
})
