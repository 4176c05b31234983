/** Mail in the vault, and what is known about it, is for its owner alone, whatever the umask says; other notes are as their owner has them. */
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

const rules = [{ subject: 'hours', decision: 'draft_reply', reason: 'asked', reply: 'Nine.' }]
const work = ['Needs_Action', 'Drafts', 'Approved', 'Done', 'Logs']

const withUmask = (umask: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,process.umask(${umask})`,
})
const modeOf = (path: string) => `0${(statSync(path).mode & 0o777).toString(8)}`
const octal = (mode: number) => `0${mode.toString(8)}`

/** Of all that is in the folders that mail is worked in, and of these, by mode. */
function modes(home: OrchestratorHome): { folders: Set<string>; files: Map<string, string[]> } {
  const folders = new Set<string>()
  const files = new Map<string, string[]>()
  const boxes = ['mail/sent', ...work.map((name) => `vault/${name}`)]
  for (const folder of boxes.map((box) => join(home.folder, box))) {
    folders.add(modeOf(folder))
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isDirectory()) folders.add(modeOf(path))
      else files.set(modeOf(path), [...(files.get(modeOf(path)) ?? []), entry.name])
    }
  }
  return { folders, files }
}

describe.each(['000', '022'])('with the umask %s', (text) => {
  const umask = Number.parseInt(text, 8)
  const env = withUmask(umask)

  it('nobody else reads mail, drafts, logs and state', async () => {
    const home = await OrchestratorHome.make(rules, env)
    for (const name of work.filter((one) => one !== 'Approved')) home.remove(name)
    for (const subject of ['hours one', 'hours two', 'other']) home.drop({ subject })
    await home.once()
    const [first = '', second = ''] = home.list('Drafts')
    home.approveByHand(first)
    expect((await home.run(['drafts', 'reject', second])).exitCode).toBe(0)
    home.put('bill.txt', 'to be paid')
    const words = ['--to', 'a@example.com', '--subject', 'Hi', '--body', 'Hi', 'bill.txt']
    const sent = await home.run(['mail', 'send', ...words], { AGENTMAIL_SEND_POLICY: 'approve' })
    expect([sent.stderr, sent.exitCode]).toEqual(['', 0])
    await home.once()
    await home.once({ GMAIL_MCP_SERVER: '/nothing/there' })
    const { folders, files } = modes(home)
    expect([...folders]).toEqual(['0700'])
    expect([...files.keys()]).toEqual(['0600'])
    expect(home.list('Done').length).toBeGreaterThan(1)
    const names = files.get('0600')?.join(' ')
    for (const log of ['orchestrator_state', 'approvals', 'gmail_mcp_', 'mcp_fallback_', '.eml']) {
      expect(names).toContain(log)
    }
  })

  it('other notes are as the umask or their owner says', async () => {
    const home = await OrchestratorHome.make([], env)
    rmSync(home.root, { recursive: true })
    await home.run(['vault', 'init', home.root])
    const mode = (path: string) => modeOf(join(home.root, path))
    expect(work.map(mode)).toEqual(work.map(() => '0700'))
    expect(mode('')).toBe(octal(0o777 & ~umask))
    const client = await VaultClient.open({ env: { ...home.env, VAULT_PATH: home.root } })
    await client.write('Projects/new.md', {}, 'x')
    expect([mode('Projects'), mode('Projects/new.md'), mode('Rules.md')]).toEqual([
      octal(0o777 & ~umask),
      octal(0o666 & ~umask),
      octal(0o666 & ~umask),
    ])
    mkdirSync(join(home.root, 'Drafts/Old'), { mode: 0o755 })
    chmodSync(join(home.root, 'Projects/new.md'), 0o640)
    await client.write('Projects/new.md', { a: 1 }, 'y')
    expect(mode('Projects/new.md')).toBe('0640')
    await client.call('move_note', { source: 'Projects/new.md', destination: 'Done/new.md' })
    expect(mode('Done/new.md')).toBe('0600')
    await client.call('move_note', { source: 'Done/new.md', destination: 'Projects/new.md' })
    await client.write('Projects/new.md', { a: 2 }, 'z')
    expect(mode('Projects/new.md')).toBe('0600')
    await client.write('Drafts/Old/a/b.md', {}, 'x')
    expect([mode('Drafts/Old/a'), mode('Drafts/Old/a/b.md')]).toEqual(['0700', '0600'])
  })
})

it('what others could read is for its owner alone once it is written again, and folders that are there stay', async () => {
  const home = await OrchestratorHome.make(rules, withUmask(0))
  for (const name of work) chmodSync(join(home.root, name), 0o755)
  home.drop({ subject: 'hours' })
  await home.once()
  const widened = [...home.list('Drafts'), ...home.list('Needs_Action')]
  const logs = readdirSync(join(home.root, 'Logs'))
    .filter((name) => !name.startsWith('.'))
    .map((name) => `Logs/${name}`)
  for (const path of [...widened, ...logs]) chmodSync(join(home.root, path), 0o644)
  for (const path of home.list('Drafts')) home.approveByHand(path)
  home.drop({ subject: 'hours again' })
  await home.once()
  expect([...modes(home).files.keys()]).toEqual(['0600'])
  expect(work.map((name) => modeOf(join(home.root, name)))).toEqual(work.map(() => '0755'))
})
