/** agentmail vault: for a person and for scripts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

describe('agentmail vault init', () => {
  it('makes what is missing and leaves what is there', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'new/my vault')
    const first = await agentmail(['vault', 'init', 'new/my vault'], { cwd: folder })
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    expect(first.stdout).toContain(
      'Needs_Action/, Drafts/, Approved/, Done/, Logs/, Rules.md, Rules.schema.json',
    )
    expect(first.stdout).toContain("export VAULT_PATH='")
    const rules = join(path, 'Rules.md')
    expect(readFileSync(rules, 'utf8')).toContain('decision: archive')
    writeFileSync(rules, 'mine')
    expect(first.stdout).toMatch(/^agentmail orchestrate /m)
    const second = await agentmail(['vault', 'init', path, '--json'], { cwd: folder })
    expect(JSON.parse(second.stdout)).toEqual({ vault: path, made: [] })
    expect(readFileSync(rules, 'utf8')).toBe('mine')
    const checked = await agentmail(['vault', 'check', '--vault', path], { cwd: folder })
    expect(checked).toMatchObject({ exitCode: 0, stdout: '1 note, nothing that cannot be read.\n' })
  })

  it('makes nothing where a file is in the way of a folder', async () => {
    const vault = new TestVault()
    vault.put('Done', 'a file')
    const { stderr, exitCode } = await agentmail(['vault', 'init', vault.root])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('Done is in the way')
    expect(vault.files()).toEqual(['Done'])
  })

  it('writes rules that can be read', async () => {
    const vault = new TestVault()
    await agentmail(['vault', 'init', vault.root])
    const { frontmatter } = await (await VaultClient.open(vault)).read('Rules.md')
    expect(frontmatter).toMatchObject({
      rules: [
        { from: 'newsletter@widgets.example', decision: 'archive' },
        { decision: 'draft_reply', reply: expect.stringContaining('9 to 17.\n') },
      ],
    })
  })
})

describe('agentmail vault', () => {
  it('lists and searches', async () => {
    const vault = new TestVault()
    vault.put('Inbox/a.md', '---\nstatus: pending\n---\nThe quarterly Rapport\u0301 is late\n')
    vault.put('Inbox/b.md', 'quarterly\u001b[31m report\n')
    vault.put('c.md', '---\nstatus: done\n---\n')
    const run = (...args: string[]) => agentmail(['vault', ...args], { env: vault.env })
    expect((await run('ls')).stdout).toBe('Inbox/a.md\nInbox/b.md\nc.md\n')
    expect((await run('ls', 'Inbox', '--limit', '1')).stdout).toBe('Inbox/a.md\n')
    expect((await run('ls', '--filter', 'status:done', '--json')).stdout).toBe(
      '{"notes":[{"path":"c.md"}]}\n',
    )
    expect((await run('search', 'RAPPORT', 'quarterly')).stdout).toBe(
      'Inbox/a.md\n  The quarterly Rapport\u0301 is late\n',
    )
    expect((await run('search', 'quarterly report')).stdout).not.toContain('\u001b')
    expect((await run('search', 'nothing')).stdout).toBe('No note holds all of these words.\n')
  })

  it.each([
    [['vault'], 1, /what is to be done/],
    [['vault', 'fly'], 1, /unknown subcommand: fly/],
    [['vault', 'search'], 1, /what is to be found/],
    [['vault', 'ls', 'a', 'b'], 1, /too many arguments: b/],
    [['vault', 'ls', '--limit', 'x'], 1, /--limit must be/],
    [['vault', 'search', 'x', '--filter', 'a:b'], 1, /vault search takes no --filter/],
    [['vault', 'ls', '..'], 1, /leaves the vault/],
    [['vault', 'ls', 'nothing'], 1, /there is no folder nothing/],
    [['vault', 'ls', '--filter', 'x'], 1, /filter must be field:value/],
    [['vault', 'check', '--vault', '/nothing/there'], 2, /there is no vault at \/nothing\/there/],
    [['vault', 'check', '--vault', import.meta.filename], 2, /the vault is not a folder/],
    [['vault', 'init', ''], 1, /where is the vault to be/],
    [['vault', 'init', '/proc/self/there'], 1, /could not be made/],
    [['vault', 'init', import.meta.filename], 1, /there is a file/],
  ])('refuses %j in words', async (args, code, words) => {
    const vault = new TestVault()
    const { exitCode, stderr, stdout } = await agentmail(args, { env: vault.env })
    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toMatch(words)
  })
})
