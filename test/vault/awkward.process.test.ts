/** A vault with everything awkward in it, through the official client. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { hostilePaths } from '../support/hostile-paths.ts'
import {
  composed,
  decomposed,
  foreign,
  makeAwkwardVault,
  readable,
  unreadable,
} from '../support/vault/awkward-vault.ts'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

async function awkward(): Promise<TestVault> {
  const vault = new TestVault()
  await makeAwkwardVault(vault.root, vault.outside)
  return vault
}

const bytesOf = (vault: TestVault) =>
  Object.fromEntries(
    [...Object.keys(readable), ...Object.keys(unreadable)].map((path) => [
      path,
      readFileSync(join(vault.root, path), 'latin1'), // buffers take a minute to compare
    ]),
  )

describe('an awkward vault', () => {
  it('is listed without what is not of it, in the order of paths', async () => {
    const client = await VaultClient.open(await awkward())
    const expected = [...Object.keys(readable), ...Object.keys(unreadable)].sort()
    expect(await client.list('')).toEqual(expected)
    expect(await client.list('.')).toEqual(expected)
    expect(await client.list('a')).toEqual(['a/deep/er/folder/note.md'])
    expect(await client.list('x.md')).toEqual(['x.md/inner.md'])
    expect(await client.list('empty folder')).toEqual([])
  })

  it('is read as it is, and written back without changing a byte', async () => {
    const vault = await awkward()
    const client = await VaultClient.open(vault)
    const before = bytesOf(vault)
    for (const [path, { frontmatter, body }] of Object.entries(readable)) {
      const note = await client.read(path)
      expect(note).toMatchObject({ path, frontmatter, body })
      if (path.startsWith('Approved/') || body.includes('\0')) continue
      await client.write(path, note.frontmatter, note.body, note.etag)
    }
    expect(bytesOf(vault)).toEqual(before)
  })

  it('keeps what cannot be read, and says why', async () => {
    const vault = await awkward()
    const client = await VaultClient.open(vault)
    const before = bytesOf(vault)
    for (const [path, { code }] of Object.entries(unreadable)) {
      const read = await client.error('read_note', { path })
      expect([path, read.error]).toEqual([path, code])
      expect(await client.error('write_note', { path, frontmatter: {}, body: 'x' })).toEqual(read)
    }
    expect((await client.error('read_note', { path: 'large.md' })).message).toContain('5242880')
    expect(bytesOf(vault)).toEqual(before)
  })

  it('never follows a link, waits for a pipe, or looks into a dot folder', async () => {
    const vault = await awkward()
    const client = await VaultClient.open(vault)
    for (const path of foreign) {
      const note = { path, frontmatter: {}, body: 'x' }
      const move = { source: path, destination: 'moved.md' }
      const over = { source: 'plain.md', destination: path }
      expect([path, await client.code('read_note', { path })]).toEqual([path, 'permission_denied'])
      expect([path, await client.code('write_note', note)]).toEqual([path, 'permission_denied'])
      expect([path, await client.code('move_note', move)]).toEqual([path, 'permission_denied'])
      expect([path, await client.code('move_note', over)]).toEqual([
        path,
        expect.stringMatching(/^(permission_denied|conflict)$/),
      ])
    }
    for (const directory of ['out', 'linked', '.obsidian', 'a/loop', 'fol\u00adder']) {
      expect(await client.code('list_notes', { directory })).toBe('permission_denied')
    }
    expect(readdirSync(vault.outside)).toEqual(['secret.md'])
    expect(await client.search('xyzzy')).toEqual([])
    expect(await client.search('plugh')).toEqual([])
  })

  it('finds a name in whatever composition', async () => {
    const client = await VaultClient.open(await awkward())
    expect(await client.read(composed)).toMatchObject({ path: decomposed, body: 'Coffee' })
    expect((await client.write(composed, {}, 'Tea')).path).toBe(decomposed)
    expect((await client.list('')).filter((path) => path.startsWith('Caf'))).toEqual([decomposed])
    const taken = { source: 'plain.md', destination: composed }
    expect(await client.code('move_note', taken)).toBe('conflict')
  })

  it('is left by no path', async () => {
    const vault = await awkward()
    const client = await VaultClient.open(vault)
    const files = vault.files()
    for (const path of hostilePaths()) {
      const expected = expect.stringMatching(/^(permission_denied|invalid_request)$/)
      expect([path, await client.code('read_note', { path })]).toEqual([path, expected])
      const note = { path, frontmatter: {}, body: 'x' }
      expect([path, await client.code('write_note', note)]).toEqual([path, expected])
      const move = { source: 'plain.md', destination: path }
      expect([path, await client.code('move_note', move)]).toEqual([path, expected])
    }
    expect(vault.files()).toEqual(files)
    expect(readdirSync(vault.folder).filter((name) => name !== 'cache')).toEqual([
      'outside',
      'vault',
    ])
    expect(readdirSync(vault.outside)).toEqual(['secret.md'])
  })

  it('never runs a note', async () => {
    const vault = await awkward()
    const script = "---js\nrequire('node:fs').writeFileSync('was-run', '')\n---\n"
    vault.put('evil.md', script)
    const client = await VaultClient.open(vault)
    expect(await client.read('evil.md')).toMatchObject({ frontmatter: {}, body: script })
    expect((await client.search('writeFileSync'))[0]?.path).toBe('evil.md')
    expect(await client.list('', 'a:1')).toEqual([])
    expect(vault.files()).not.toContain('was-run')
  })

  it('is checked by the command line, fault by fault', async () => {
    const vault = await awkward()
    const { stdout, exitCode } = await agentmail(['vault', 'check'], { env: vault.env })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^binary\.md:1:1: /m)
    expect(stdout).toMatch(/^broken\.md:2:\d+: /m)
    expect(stdout).toMatch(/^large\.md: .*5242880/m)
    expect(stdout).toMatch(/^latin1\.md:1:4: /m)
    expect(stdout).toMatch(/^pipe\.md: /m)
    expect(stdout).toMatch(/^link-out\.md: /m)
    expect(stdout).toMatch(/^bad-.*not UTF-8$/m)
    for (const code of ['000A', '200B', '202E', '00AD']) {
      expect(stdout).toMatch(new RegExp(`invisible character \\(U\\+${code}\\).*: rename it$`, 'm'))
    }
    expect(stdout).not.toMatch(/^plain\.md/m)
  })
})
