/** move_note and list_notes through the official client. */
import { linkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

describe('move_note', () => {
  it('keeps the file itself, makes folders, and leaves the old name', async () => {
    const vault = new TestVault()
    vault.put('Drafts/a.md', 'text')
    const { ino, mtimeMs } = statSync(join(vault.root, 'Drafts/a.md'))
    const client = await VaultClient.open(vault)
    const move = { source: 'Drafts/a.md', destination: 'Done/2026/b.md' }
    expect(await client.call('move_note', move)).toEqual({ moved: true })
    expect(statSync(join(vault.root, 'Done/2026/b.md'))).toMatchObject({ ino, mtimeMs, nlink: 1 })
    expect(await client.list('')).toEqual(['Done/2026/b.md'])
    expect(await client.code('move_note', move)).toBe('not_found')
  })

  it('never goes over another note', async () => {
    const vault = new TestVault()
    vault.put('a.md', 'a')
    vault.put('b.md', 'b')
    const client = await VaultClient.open(vault)
    expect(await client.code('move_note', { source: 'a.md', destination: 'b.md' })).toBe('conflict')
    expect(await client.code('move_note', { source: 'a.md', destination: 'a.md' })).toBe('conflict')
    expect([vault.text('a.md'), vault.text('b.md')]).toEqual(['a', 'b'])
  })

  it('finishes a move that was cut short', async () => {
    const vault = new TestVault()
    vault.put('a.md', 'a')
    linkSync(join(vault.root, 'a.md'), join(vault.root, 'b.md'))
    const client = await VaultClient.open(vault)
    await client.call('move_note', { source: 'a.md', destination: 'b.md' })
    expect(vault.files()).toEqual(['b.md'])
  })

  it('moves only what is still as the etag says', async () => {
    const vault = new TestVault()
    const client = await VaultClient.open(vault)
    const { etag } = await client.write('a.md', {}, 'a')
    vault.put('a.md', 'changed')
    const move = { source: 'a.md', destination: 'b.md' }
    expect(await client.code('move_note', { ...move, if_match: etag })).toBe('conflict')
    const now = await client.read('a.md')
    await client.call('move_note', { ...move, if_match: now.etag })
    expect(vault.text('b.md')).toBe('changed')
  })

  it('moves a note that cannot be read', async () => {
    const vault = new TestVault()
    vault.put('a.md', '---\n[')
    await (await VaultClient.open(vault)).call('move_note', {
      source: 'a.md',
      destination: 'b/a.md',
    })
    expect(vault.text('b/a.md')).toBe('---\n[')
  })

  it('leaves approving to a person', async () => {
    const vault = new TestVault()
    vault.put('Drafts/a.md', 'a')
    vault.put('Approved/b.md', 'b')
    const client = await VaultClient.open(vault)
    const approve = { source: 'Drafts/a.md', destination: 'Approved/a.md' }
    expect(await client.code('move_note', approve)).toBe('permission_denied')
    const write = { path: 'Approved/b.md', frontmatter: {}, body: 'other' }
    expect(await client.code('write_note', write)).toBe('permission_denied')
    const takeBack = { source: 'Approved/b.md', destination: 'Done/b.md' }
    expect(await client.code('move_note', takeBack)).toBe('permission_denied')
    expect(vault.files()).toEqual(['Approved', 'Approved/b.md', 'Drafts', 'Drafts/a.md'])
  })

  it('mends the wikilinks that pointed to it, and no others', async () => {
    const vault = new TestVault()
    const links = '[[Old]], [[Old#h|x]], ![[In/Old]], [[Other]], `[[Old]]`\r\n'
    vault.put('In/Old.md', 'Me: [[Old]]')
    vault.put('Other.md', `\ufeff---\r\nup: "[[Old]]" # c\r\n---\r\n${links}`)
    vault.put('broken.md', '---\na: b: [[Old]]\n---\n')
    vault.put('Approved/ok.md', '[[Old]]')
    vault.put('plain.md', '[[Older]]')
    const client = await VaultClient.open(vault)
    const move = { source: 'In/Old.md', destination: 'Done/New.md', update_links: true }
    expect(await client.call('move_note', move)).toEqual({
      moved: true,
      not_updated: ['Approved/ok.md', 'broken.md'],
    })
    const mended = '[[New]], [[New#h|x]], ![[Done/New]], [[Other]], `[[Old]]`\r\n'
    expect(vault.text('Other.md')).toBe(`\ufeff---\r\nup: "[[New]]" # c\r\n---\r\n${mended}`)
    expect(vault.text('Done/New.md')).toBe('Me: [[New]]')
    expect(vault.text('broken.md')).toBe('---\na: b: [[Old]]\n---\n')
    expect(vault.text('plain.md')).toBe('[[Older]]')
  })

  it('leaves links alone unless asked', async () => {
    const vault = new TestVault()
    vault.put('Old.md', '')
    vault.put('x.md', '[[Old]]')
    await (await VaultClient.open(vault)).call('move_note', {
      source: 'Old.md',
      destination: 'New.md',
    })
    expect(vault.text('x.md')).toBe('[[Old]]')
  })
})

describe('list_notes', () => {
  it('finds notes by a value of their front matter', async () => {
    const vault = new TestVault()
    const notes: Record<string, string> = {
      'text.md': 'status: pending',
      'quoted.md': 'status: "pending"',
      'escaped.md': 'status: "pend\\x69ng"',
      'list.md': 'status: [done, pending]',
      'part.md': 'status: pending2',
      'other-key.md': 'state: pending',
      'nested.md': 'a: {status: pending}',
      'broken.md': 'status: pending\nb: c: d',
      'number.md': 'n: 1.0',
      'number-text.md': 'n: "1"',
      'true.md': 'done: TRUE',
      'date.md': 'due: 2026-01-15',
      'time.md': 'due: 2026-01-15T01:00:00+01:00',
      'later.md': 'due: 2026-01-15T10:00:00Z',
      'colon.md': 'url: http://x/y:z',
      'blanks.md': 'name: two words',
      'null.md': 'none:',
      'big.md': 'id: 12345678901234567890',
    }
    for (const [path, yaml] of Object.entries(notes)) vault.put(path, `---\n${yaml}\n---\n`)
    const client = await VaultClient.open(vault)
    expect(await client.list('', 'status:pending')).toEqual([
      'escaped.md',
      'list.md',
      'quoted.md',
      'text.md',
    ])
    expect(await client.list('', 'n:1')).toEqual(['number-text.md', 'number.md'])
    expect(await client.list('', 'n:1.0')).toEqual(['number.md'])
    expect(await client.list('', 'done:true')).toEqual(['true.md'])
    expect(await client.list('', 'due:2026-01-15')).toEqual(['date.md', 'time.md'])
    expect(await client.list('', 'url:http://x/y:z')).toEqual(['colon.md'])
    expect(await client.list('', 'name:two words')).toEqual(['blanks.md'])
    expect(await client.list('', 'none:null')).toEqual(['null.md'])
    expect(await client.list('', 'id:12345678901234567890')).toEqual(['big.md'])
    expect(await client.list('', 'missing:x')).toEqual([])
    for (const filter of ['status', ':x']) {
      expect(await client.code('list_notes', { directory: '', filter })).toBe('invalid_request')
    }
  })

  it('gives all notes on pages, each once, in order', async () => {
    const vault = new TestVault()
    const paths = ['a/b.md', 'a-b.md', 'a.md', 'a/b/c.md', 'a/b-c.md', 'b.md', 'Z.md', 'a b/x.md']
    for (const path of paths) vault.put(path, '---\nk: v\n---\n')
    const client = await VaultClient.open(vault)
    const all = await client.list('')
    expect(all).toEqual(paths.toSorted())
    for (const limit of [1, 2, 3, 8]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.page({
          directory: '',
          limit,
          filter: 'k:v',
          ...(cursor ? { cursor } : {}),
        })
        expect(page.notes.length).toBeLessThanOrEqual(limit)
        seen.push(...page.notes.map(({ path }) => path))
        cursor = page.next_cursor
      } while (cursor)
      expect(seen).toEqual(all)
    }
  })

  it('answers what it cannot list with a code', async () => {
    const vault = new TestVault()
    vault.put('a.md', '')
    const client = await VaultClient.open(vault)
    const cases: [object, string][] = [
      [{ directory: 'nothing' }, 'not_found'],
      [{ directory: 'a.md' }, 'not_found'],
      [{}, 'invalid_request'],
      [{ directory: '', limit: 0 }, 'invalid_request'],
      [{ directory: '', cursor: '!' }, 'invalid_request'],
      [{ directory: '..' }, 'permission_denied'],
      [{ directory: '/' }, 'permission_denied'],
      [{ directory: 'a\0' }, 'permission_denied'],
    ]
    for (const [args, code] of cases) {
      expect([args, await client.code('list_notes', args)]).toEqual([args, code])
    }
  })
})
