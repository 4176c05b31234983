/** read_note and write_note through the official client: what is read, written, refused. */
import { chownSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { eras } from '../support/mcp/protocol.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

describe.each(eras)('a note, %s era', (era) => {
  it('is written, read back equal, and changed in one place only', async () => {
    const vault = new TestVault()
    const client = await VaultClient.open(vault, era)
    const frontmatter = {
      status: 'pending',
      tags: ['a', 'b'],
      n: 1,
      when: '2026-01-15',
      none: null,
    }
    const written = await client.write('New/Folder/note.md', frontmatter, '# Title\n\nText\n')
    expect(written).toMatchObject({
      path: 'New/Folder/note.md',
      frontmatter,
      body: '# Title\n\nText\n',
    })
    expect(await client.read('New/Folder/note.md')).toEqual(written)
    const before = vault.text('New/Folder/note.md')
    const changed = await client.write(
      'New/Folder/note.md',
      { ...frontmatter, status: 'done' },
      written.body,
    )
    expect(changed.etag).not.toBe(written.etag)
    expect(vault.text('New/Folder/note.md')).toBe(before.replace('pending', 'done'))
    expect(vault.files()).toEqual(['New', 'New/Folder', 'New/Folder/note.md'])
  })
})

describe('write_note', () => {
  it('keeps every byte of what was not changed', async () => {
    const vault = new TestVault()
    const text =
      '\ufeff---\r\n# why\r\nid:   01234   # kept\r\n"quoted key": \'it\'\'s\'\r\nlist: [ a,  b ]\r\nlink: "[[X]]"\r\nbig: 12345678901234567890\r\n---\r\nBody\r\n---\r\nmore'
    vault.put('note.md', text)
    const client = await VaultClient.open(vault)
    const { frontmatter, body } = await client.read('note.md')
    expect(frontmatter).toEqual({
      id: 1234,
      'quoted key': "it's",
      list: ['a', 'b'],
      link: '[[X]]',
      big: '12345678901234567890',
    })
    await client.write('note.md', frontmatter, body)
    expect(vault.text('note.md')).toBe(text)
    const { list: _, ...others } = frontmatter
    await client.write('note.md', { added: true, ...others, link: '[[Y]]' }, body)
    expect(vault.text('note.md')).toBe(
      text
        .replace('list: [ a,  b ]\r\n', '')
        .replace('"[[X]]"', '"[[Y]]"')
        .replace('890\r\n', '890\r\nadded: true\r\n'),
    )
  })

  it('changes a note only if it still is as the etag says', async () => {
    const vault = new TestVault()
    const client = await VaultClient.open(vault)
    const first = await client.write('a.md', {}, 'one')
    const second = await client.write('a.md', {}, 'two', first.etag)
    const refused = await client.error('write_note', {
      path: 'a.md',
      frontmatter: {},
      body: 'three',
      if_match: first.etag,
    })
    expect(refused).toMatchObject({ error: 'conflict', details: { etag: second.etag } })
    expect(vault.text('a.md')).toBe('two')
    const missing = { path: 'b/c.md', frontmatter: {}, body: '', if_match: first.etag }
    expect(await client.code('write_note', missing)).toBe('conflict')
    expect(vault.files()).toEqual(['a.md'])
  })

  it('never overwrites what it cannot read, and mends it for who names its etag', async () => {
    const vault = new TestVault()
    const broken = '---\nsubject: Re: x\n---\nBody'
    vault.put('broken.md', broken)
    const client = await VaultClient.open(vault)
    const write = { path: 'broken.md', frontmatter: { a: 1 }, body: 'new' }
    const refused = await client.error('write_note', write)
    expect(refused).toMatchObject({ error: 'parse_error', details: { line: 2, text: broken } })
    expect(await client.error('read_note', { path: 'broken.md' })).toEqual(refused)
    expect(vault.text('broken.md')).toBe(broken)
    expect(await client.code('write_note', { ...write, if_match: 'other' })).toBe('conflict')
    const mended = await client.write('broken.md', { a: 1 }, 'new', String(refused.details?.etag))
    expect(mended).toMatchObject({ frontmatter: { a: 1 }, body: 'new' })
    expect(vault.text('broken.md')).toBe('---\na: 1\n---\nnew')
  })

  it('keeps the BOM and the line ends of a note that it mends', async () => {
    const vault = new TestVault()
    vault.put('a.md', '\ufeff---\r\na: b: c\r\n---\r\nBody\r\n')
    const client = await VaultClient.open(vault)
    const { details } = await client.error('read_note', { path: 'a.md' })
    await client.write('a.md', { a: 'b: c' }, 'Body\r\n', String(details?.etag))
    expect(vault.text('a.md')).toBe('\ufeff---\r\na: "b: c"\r\n---\r\nBody\r\n')
  })

  it('reads back equal, whatever is in it', async () => {
    const cases: [string, object, string][] = [
      ['a body that opens with a fence', {}, '---\nnot: a block\n---\n'],
      ['a body that opens with a script', {}, '---js\nx\n---\n'],
      ['a body that opens with a BOM', {}, '\ufefftext'],
      ['an empty note', {}, ''],
      ['no line end', { a: 'b' }, 'x'],
      ['odd keys', { '': 1, 'a: b': 2, '- x': 3, '#': 4, 'ü 🎉': 5, 'k\nk': 6, true: 7 }, 'x'],
      [
        'text that looks like something else',
        { a: 'true', b: '1', c: '~', d: '0x1', e: '', f: ' x ' },
        '',
      ],
      ['nested values', { a: [{ b: [[], {}, [1, [2]]] }], c: { d: { e: null } } }, ''],
      ['text of several lines', { a: 'x\n y\n\n', b: 'x\r\ny', c: '\n', d: '---\n' }, '\n'],
      ['numbers', { a: 1.5, b: -0.25, c: 1e-7, d: 9007199254740991, e: 0 }, ''],
      ['control characters', { a: 'x\u0001\u0085\u2028\u{10ffff}' }, '\u0001\u2028'],
    ]
    const client = await VaultClient.open(new TestVault())
    for (const [what, frontmatter, body] of cases) {
      const written = await client.write('a.md', frontmatter, body)
      expect(written, what).toMatchObject({ frontmatter, body })
      expect(await client.read('a.md'), what).toEqual(written)
      expect(await client.write('a.md', frontmatter, body), what).toEqual(written)
      await client.call('move_note', { source: 'a.md', destination: `${what}.md` })
    }
  })

  it('keeps a key named __proto__', async () => {
    const vault = new TestVault()
    vault.put('a.md', '---\n__proto__: 1\nb: 2\n---\n')
    const client = await VaultClient.open(vault)
    expect(await client.textOf('read_note', { path: 'a.md' })).toContain('{"__proto__":1,"b":2}')
    await client.write('a.md', JSON.parse('{"__proto__": 1, "b": 3}'), '')
    expect(vault.text('a.md')).toBe('---\n__proto__: 1\nb: 3\n---\n')
  })

  it('keeps the mode of the file, and its owner where it may', async () => {
    const vault = new TestVault()
    vault.put('a.md', 'x')
    if (process.getuid?.() === 0) chownSync(join(vault.root, 'a.md'), 1000, 1000)
    writeFileSync(join(vault.root, 'b.md'), 'x', { mode: 0o600 })
    const client = await VaultClient.open(vault)
    for (const path of ['a.md', 'b.md']) {
      const { mode, uid, gid } = statSync(join(vault.root, path))
      await client.write(path, {}, 'y')
      expect(statSync(join(vault.root, path))).toMatchObject({ mode, uid, gid })
    }
  })

  it('touches nothing where nothing changes', async () => {
    const vault = new TestVault()
    vault.put('a.md', 'x')
    const before = statSync(join(vault.root, 'a.md'), { bigint: true })
    await (await VaultClient.open(vault)).write('a.md', {}, 'x')
    const after = statSync(join(vault.root, 'a.md'), { bigint: true })
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
  })

  it('refuses bad arguments in words', async () => {
    const cases: [object, string][] = [
      [{ frontmatter: {}, body: '' }, 'path is required'],
      [{ path: '', frontmatter: {}, body: '' }, 'path is required'],
      [{ path: 1, frontmatter: {}, body: '' }, 'path must be text'],
      [{ path: 'a.md', body: '' }, 'frontmatter is required'],
      [{ path: 'a.md', frontmatter: [], body: '' }, 'frontmatter must be an object'],
      [{ path: 'a.md', frontmatter: '{}', body: '' }, 'frontmatter must be an object'],
      [{ path: 'a.md', frontmatter: {} }, 'body is required'],
      [{ path: 'a.md', frontmatter: {}, body: 'a\0' }, 'body must not contain NUL'],
      [{ path: 'a.md', frontmatter: { k: 'a\0' }, body: '' }, 'k must not contain NUL'],
      [{ path: 'a.md', frontmatter: { 'k\0': 1 }, body: '' }, 'frontmatter must not contain NUL'],
      [
        { path: 'a.md', frontmatter: { n: [2 ** 53] }, body: '' },
        'a number in n is beyond 9007199254740991',
      ],
      [{ path: 'a.md', frontmatter: {}, body: '', more: 1 }, 'unknown argument: more'],
      [{ path: 'a.md', frontmatter: {}, body: 'x'.repeat((4 << 20) + 1) }, '4194305 bytes'],
      [{ path: 'a.md', frontmatter: {}, body: '\n'.repeat(3 << 20) }, 'a reply with a.md would be'],
      [{ path: `${'a/'.repeat(65)}x.md`, frontmatter: {}, body: '' }, 'nested deeper than 64'],
      [{ path: 'new/a.md', frontmatter: {}, body: '\n'.repeat(3 << 20) }, 'a reply with new/a.md'],
      [{ path: `${'x'.repeat(300)}.md`, frontmatter: {}, body: '' }, 'too long'],
    ]
    const vault = new TestVault()
    const client = await VaultClient.open(vault)
    for (const [args, words] of cases) {
      const { error, message } = await client.error('write_note', args)
      expect([error, message]).toEqual(['invalid_request', expect.stringContaining(words)])
    }
    expect(vault.files()).toEqual([])
  })
})

describe('the server', () => {
  it.each([
    ['no vault is named', {}],
    [
      'it is not there',
      {
        VAULT_PATH: join(
          temporaryFolder(() => {}),
          'nothing',
        ),
      },
    ],
    ['it is a file', { VAULT_PATH: import.meta.filename }],
  ])('ends with 2 and a sentence where %s, and makes nothing', async (_, env) => {
    const ran = await agentmail(['mcp', 'obsidian'], { env })
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^error: .*vault.*\n.*VAULT_PATH/)
  })

  it('serves a vault behind a link, and says so when it goes', async () => {
    const vault = new TestVault()
    renameSync(vault.root, join(vault.folder, 'real'))
    symlinkSync('real', vault.root)
    const client = await VaultClient.open(vault)
    await client.write('a.md', {}, 'x')
    rmSync(join(vault.folder, 'real'), { recursive: true })
    const { error, message } = await client.error('read_note', { path: 'a.md' })
    expect(error).toBe('internal_error')
    expect(message).toContain('not there any more')
  })
})
