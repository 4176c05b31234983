/** Programs that take no locks, as editors do, change a note while a server is at it. */
import { spawn } from 'node:child_process'
import { existsSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Folder } from '../../src/system/folder.ts'
import { removeLeftover } from '../../src/vault/note-change.ts'
import { eventually } from '../support/eventually.ts'
import { loading } from '../support/loading.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'
import { VaultServer } from '../support/vault/vault-processes.ts'

type Call = 'fsyncSync' | 'linkSync' | 'renameSync' | 'unlinkSync'

/** In seconds. */
const someTime = 1_700_000_000

/** A vault with a note, and a server that stops before its first call of a function. */
async function pausingAt(call: Call) {
  const vault = new TestVault()
  vault.put('note.md', 'as it was read')
  utimesSync(join(vault.root, 'note.md'), someTime, someTime)
  const folder = temporaryFolder()
  const env = loading(['paused-call'], { PAUSE_AT: call, PAUSE_FOLDER: folder })
  const server = await VaultServer.open(vault, env)
  const { value } = await server.call('read_note', { path: 'note.md' })
  const { etag } = Object(value)
  return {
    vault,
    server,
    write: (body: string, if_match = etag) =>
      server.call('write_note', { path: 'note.md', frontmatter: {}, body, if_match }),
    move: () => server.call('move_note', { source: 'note.md', destination: 'moved.md' }),
    paused: () => eventually('it has come there', () => existsSync(join(folder, 'paused'))),
    goOn: () => writeFileSync(join(folder, 'go'), ''),
  }
}

const edited = 'as was edited!' // as long as what was read
const editors: { how: string; edit(path: string): void }[] = [
  { how: 'in place', edit: (path) => writeFileSync(path, edited) },
  {
    how: 'in place, with the time it had',
    edit(path) {
      writeFileSync(path, edited)
      utimesSync(path, someTime, someTime)
    },
  },
  {
    how: 'by a rename',
    edit(path) {
      writeFileSync(`${path}.new`, edited)
      renameSync(`${path}.new`, path)
    },
  },
]

/** What is in the vault afterwards. */
async function editWhileMoving(call: Call, edit: (path: string) => void): Promise<string[]> {
  const { vault, move, paused, goOn } = await pausingAt(call)
  const moved = move()
  await paused()
  edit(join(vault.root, 'note.md'))
  goOn()
  await moved
  return vault.files().map((path) => vault.text(path))
}

describe.each(editors)('an editor that saves $how', ({ edit }) => {
  it('before the new text is in place is told of to who wrote by the etag', async () => {
    const { vault, write, paused, goOn } = await pausingAt('fsyncSync')
    const written = write('ours')
    await paused()
    edit(join(vault.root, 'note.md'))
    goOn()
    expect((await written).error).toMatchObject({ error: 'conflict' })
    expect(vault.text('note.md')).toBe(edited)
    expect(vault.files()).toEqual(['note.md'])
  })

  it.each(['linkSync', 'fsyncSync'] as const)(
    'while the note moves has its text kept, before %s',
    async (call) => {
      expect(await editWhileMoving(call, edit)).toContain(edited)
    },
  )
})

describe('an editor that saves after the last look', () => {
  it('is lost when the new text takes its place (control)', async () => {
    const { vault, write, paused, goOn } = await pausingAt('renameSync')
    const written = write('ours')
    await paused()
    editors.at(-1)?.edit(join(vault.root, 'note.md'))
    goOn()
    expect((await written).error).toBeUndefined()
    expect(vault.text('note.md')).toBe('ours')
  })

  it('is lost when the old name goes (control)', async () => {
    const edit = editors.at(-1)?.edit
    expect(edit && (await editWhileMoving('unlinkSync', edit))).toEqual(['as it was read'])
  })
})

describe('what a writer has not finished', () => {
  it('stays as long as the writer lives, and goes when it is dead', async () => {
    const { vault, server, write, paused } = await pausingAt('renameSync')
    write('ours').catch(() => {}) // it is killed
    await paused()
    const folder = Folder.root(vault.root)
    const clean = () => {
      for (const { name } of folder.entries()) removeLeftover(folder, name)
      return vault.files().length
    }
    expect(clean()).toBe(2)
    await server.kill()
    expect(clean()).toBe(1)
    folder.close()
    expect(vault.text('note.md')).toBe('as it was read')
  })
})

describe('a note that another program changes all the time', () => {
  it('is written or refused in words soon, and the server goes on', async () => {
    const vault = new TestVault()
    vault.put('log.md', '')
    vault.put('other.md', 'text')
    const path = JSON.stringify(join(vault.root, 'log.md'))
    const appending = `for (;;) require('node:fs').appendFileSync(${path}, 'x')`
    const program = spawn(process.execPath, ['-e', appending])
    onTestFinished(() => {
      program.kill('SIGKILL')
    })
    await eventually('it writes', () => vault.text('log.md') !== '')
    const server = await VaultServer.open(vault)
    const note = { path: 'log.md', frontmatter: {}, body: 'ours' }
    const { error } = await server.call('write_note', note) // which may find a quiet moment
    expect(error?.message ?? 'being written').toContain('being written')
    expect((await server.call('read_note', { path: 'other.md' })).error).toBeUndefined()
  })
})
