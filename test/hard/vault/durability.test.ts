/** What a vault acknowledges is on disk, in the right order, and a full disk harms nothing. */
import { linkSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../support/agentmail.ts'
import { canLimit, canMount, limitedProcess, smallDisk } from '../../support/full-disk.ts'
import { loading } from '../../support/loading.ts'
import { provenNote, provenVersion } from '../../support/orchestrator/proven-notes.ts'
import { TestVault } from '../../support/vault/vault.ts'
import { VaultServer } from '../../support/vault/vault-processes.ts'

/** A server whose calls of the file system are noted. */
async function watched(vault: TestVault, workers: string[] = [], env: Env = {}) {
  const log = join(vault.folder, 'calls')
  const hooks = loading(['file-calls', ...workers], { FILE_CALLS: log, ...env })
  const server = await VaultServer.open(vault, hooks)
  let read = readFileSync(log).length
  const short = (path: string) =>
    path
      .replace(vault.root, 'vault')
      .replace(/\/$/, '')
      .replace(/\.\w{12}\.agentmail-new/, 'new')
  /** What one call of a tool does to files, up to its answer. */
  return async (tool: string, args: object): Promise<string[]> => {
    const { error } = await server.call(tool, args)
    expect(error).toBeUndefined()
    const text = readFileSync(log, 'utf8').slice(read)
    read += text.length
    const calls = text
      .split('\n')
      .slice(0, -1)
      .map((line): string[] => JSON.parse(line))
      .map(([call = '', ...places]) => [call, ...places.map(short)].join(' '))
      .filter((call) => call === 'answer' || call.includes(' vault')) // not the search index
    return calls.filter((call, index) => call !== calls[index - 1]) // a large note takes several
  }
}

const note = { path: 'note.md', frontmatter: { a: 1 }, body: 'x'.repeat(300_000) }

describe.runIf(process.platform === 'linux')('an acknowledged change is on disk', () => {
  it('when a note is made', async () => {
    const call = await watched(new TestVault())
    expect(await call('write_note', note)).toEqual([
      'write vault/new',
      'fsync vault/new',
      'link vault/new vault/note.md',
      'fsync vault',
      'unlink vault/new',
      'answer',
    ])
  })

  it('when a note is written anew', async () => {
    const vault = new TestVault()
    vault.put('note.md', '')
    const call = await watched(vault)
    expect(await call('write_note', note)).toEqual([
      'write vault/new',
      'fsync vault/new',
      'rename vault/new vault/note.md',
      'fsync vault',
      'answer',
    ])
  })

  it('when a note is written as it is: whoever wrote it may not have waited for the disk', async () => {
    const vault = new TestVault()
    vault.put('note.md', 'text')
    const call = await watched(vault)
    const same = { path: 'note.md', frontmatter: {}, body: 'text' }
    expect(await call('write_note', same)).toEqual(['fsync vault/note.md', 'fsync vault', 'answer'])
  })

  it('when folders are made for it', async () => {
    const call = await watched(new TestVault())
    const calls = await call('write_note', { ...note, path: 'New/Sub/note.md' })
    expect(calls).toEqual([
      'mkdir vault/New',
      'fsync vault',
      'mkdir vault/New/Sub',
      'fsync vault/New',
      'write vault/New/Sub/new',
      'fsync vault/New/Sub/new',
      'link vault/New/Sub/new vault/New/Sub/note.md',
      'fsync vault/New/Sub',
      'unlink vault/New/Sub/new',
      'answer',
    ])
  })

  const move = { source: 'From/note.md', destination: 'To/note.md' }

  it('when a note is moved: its new name before its old one goes', async () => {
    const vault = new TestVault()
    vault.put('From/note.md', '')
    vault.put('To/other.md', '')
    const call = await watched(vault)
    expect(await call('move_note', move)).toEqual([
      'link vault/From/note.md vault/To/note.md',
      'fsync vault/To',
      'unlink vault/From/note.md',
      'fsync vault/From',
      'answer',
    ])
  })

  it('when a move is finished that was cut short', async () => {
    const vault = new TestVault()
    vault.put('From/note.md', '')
    vault.put('To/other.md', '')
    linkSync(join(vault.root, 'From/note.md'), join(vault.root, 'To/note.md'))
    const call = await watched(vault)
    expect(await call('move_note', move)).toEqual([
      'fsync vault/To',
      'unlink vault/From/note.md',
      'fsync vault/From',
      'answer',
    ])
  })

  it('which is seen to be missing when nothing waits for the disk (control)', async () => {
    const call = await watched(new TestVault(), ['careless-files'], { CARELESS: 'not to disk' })
    expect(await call('write_note', note)).toEqual([
      'write vault/new',
      'link vault/new vault/note.md',
      'unlink vault/new',
      'answer',
    ])
  })
})

it.skipIf(!canMount())('a note that is written in place on a full disk is lost (control)', () => {
  const { folder, fill } = smallDisk()
  const vault = new TestVault(folder)
  vault.put('note.md', 'text')
  fill(process.pid)
  expect(() => vault.put('note.md', 'x'.repeat(500_000))).toThrow('ENOSPC')
  expect(vault.text('note.md')).not.toBe('text')
})

const places = [
  { what: 'on a full disk', open: smallDisk, isThere: canMount(), words: 'the disk is full' },
  {
    what: 'of a process that may write no more',
    open: limitedProcess,
    isThere: canLimit(),
    words: 'it is larger than this process may write',
  },
]

describe.each(places)('a vault $what', ({ what, open, isThere, words }) => {
  if (!isThere) console.warn(`Skipped, since nobody here may arrange for it: a vault ${what}`)

  it.skipIf(!isThere)(
    'stays as it is, is read on, and is written again without a restart',
    async () => {
      const { folder, fill, free } = open()
      const vault = new TestVault(folder)
      const server = await VaultServer.open(vault)
      const small = { path: 'small.md', ...provenNote('1', 5_000) }
      const large = { path: 'Deep/large.md', ...provenNote('1', 500_000) }
      const write = (args: object) => server.call('write_note', args)
      for (const one of [small, large]) expect((await write(one)).error).toBeUndefined()
      const before = vault.files()

      fill(server.pid)
      for (const path of [small.path, large.path, 'new.md', 'Deep/new.md']) {
        for (const length of [5_000, 500_000]) {
          const { error } = await write({ path, ...provenNote('2', length) })
          expect(error).toMatchObject({ error: 'internal_error', details: null })
          expect(error?.message).toMatch(`${path}: ${words}. Nothing was changed. `)
        }
      }
      expect(vault.files()).toEqual(before)
      for (const { path, body } of [small, large]) {
        expect(provenVersion(vault.text(path))).toBe('1')
        expect((await server.call('read_note', { path })).value).toMatchObject({ body })
      }
      const listed = await server.call('list_notes', { directory: '' })
      expect(listed.value).toEqual({ notes: [{ path: large.path }, { path: small.path }] })

      free(server.pid)
      for (const path of [small.path, large.path, 'new.md']) {
        expect((await write({ path, ...provenNote('3', 400_000) })).error).toBeUndefined()
        expect(provenVersion(vault.text(path))).toBe('3')
      }
    },
  )
})
