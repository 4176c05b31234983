/** What was proposed stays known, whatever a tool does with the note afterwards. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TestVault } from '../../../test/support/vault/vault.ts'
import { byTool } from '../../tools/obsidian/context.ts'
import { moveNote } from '../../vault/move.ts'
import { readNote, writeNote } from '../../vault/notes.ts'
import { Vault } from '../../vault/vault.ts'
import { draftFacts } from './draft-facts.ts'
import { proposalsOf } from './proposals.ts'

const by = (agent: string) => ({ agent, project: undefined })
const anna = { to: 'anna@example.com', subject: 'Hi' }
const eve = { to: 'eve@example.net', subject: 'Hi' }

function room() {
  const test = new TestVault()
  const vault = new Vault(test.root)
  const told: string[] = []
  const tool = (name = 'tool') =>
    byTool({
      vault,
      tellOfDraft: async (subject) => void told.push(subject),
      proposer: async () => name,
    })
  const write = (path: string, frontmatter: object, by?: string) =>
    writeNote(vault, { path, frontmatter: { ...frontmatter }, body: 'Hello' }, tool(by))
  const move = (source: string, destination: string, by?: string) =>
    moveNote(vault, { source, destination }, tool(by))
  const proposers = async (path: string) =>
    (await proposalsOf(new Vault(test.root)).find(path)).map(({ from }) => from)
  /** Whom the draft of this name was proposed to, asked of somebody who has just come. */
  const proposedTo = async (path: string) => {
    const all = await proposalsOf(new Vault(test.root)).find(path)
    expect(await proposalsOf(vault).find(path)).toEqual(all)
    const facts = await Promise.all(
      [anna, eve].map((one) => draftFacts(vault, { path, frontmatter: one, body: '' })),
    )
    return all
      .map((one) => ['anna', 'eve'][facts.findIndex(({ to }) => to === one.facts.to)])
      .join()
  }
  return { test, vault, write, move, proposedTo, proposers, told }
}

describe('what was proposed', () => {
  it('is what a tool wrote first', async () => {
    const { write, proposedTo } = room()
    await write('Drafts/a.md', anna)
    await write('Drafts/a.md', eve)
    expect(await proposedTo('Approved/a.md')).toBe('anna')
    await write('Notes/b.md', eve)
    expect(await proposedTo('Approved/b.md')).toBe('')
  })

  it('is known with the name of whoever wrote it first, and of nobody else', async () => {
    const { test, vault, write, move, proposers } = room()
    await write('Drafts/a.md', anna, 'bob')
    await write('Drafts/a.md', { ...anna, from: 'carl' }, 'carl')
    expect(await proposers('Approved/a.md')).toEqual(['bob'])
    test.put('Drafts/mine.md', '---\nto: anna@example.com\n---\n')
    await write('Drafts/mine.md', anna, 'carl')
    expect(await proposers('Drafts/mine.md')).toEqual([undefined])
    test.put('Notes/c.md', '---\nto: anna@example.com\n---\n')
    await move('Notes/c.md', 'Drafts/c.md', 'carl')
    expect(await proposers('Drafts/c.md')).toEqual(['carl'])
    await proposalsOf(vault).propose(
      { path: 'Drafts/d.md', frontmatter: anna, body: '' },
      by('dora'),
    )
    expect(await proposers('Drafts/d.md')).toEqual(['dora'])
  })

  it('is what a person wrote before a tool changed it', async () => {
    const { test, write, move, proposedTo } = room()
    for (const name of ['a', 'b', 'c'])
      test.put(`Drafts/${name}.md`, '---\nto: anna@example.com\n---\n')
    expect(await proposedTo('Drafts/a.md')).toBe('')
    await write('Drafts/a.md', eve)
    expect(await proposedTo('Drafts/a.md')).toBe('anna')
    await move('Drafts/b.md', 'Old/b.md')
    await write('Drafts/b.md', eve)
    expect(await proposedTo('Drafts/b.md')).toBe('anna')
    await move('Drafts/c.md', 'Drafts/d.md')
    await write('Drafts/d.md', eve)
    expect(await proposedTo('Drafts/d.md')).toBe('anna')
  })

  it('is not what a tool wrote elsewhere under its name', async () => {
    const { test, write, move, proposedTo } = room()
    for (const folder of ['Drafts/Sub', 'drafts', 'Drafts']) await write(`${folder}/a.md`, eve)
    await move('Drafts/a.md', 'Old/a.md')
    test.put('Drafts/b.md', '---\nto: anna@example.com\n---\n')
    await write('Drafts/Sub/b.md', eve)
    await write('Drafts/b.md', eve)
    expect(await proposedTo('Approved/b.md')).toBe('eve,anna')
    expect(await proposedTo('Drafts/b.md')).toBe('anna')
  })

  it('goes with a note that a tool moves, and stays with its name', async () => {
    const { write, move, proposedTo } = room()
    await write('Drafts/a.md', anna)
    await move('Drafts/a.md', 'Ideas/b.md')
    await write('Ideas/b.md', eve)
    await move('Ideas/b.md', 'Ideas/c.md')
    await move('Ideas/c.md', 'Drafts/d.md')
    expect(await proposedTo('Drafts/d.md')).toBe('anna')
    await write('Drafts/A.md', eve)
    expect(await proposedTo('Approved/A.md')).toBe('anna,eve')
  })

  it('is what a tool moves into Drafts/', async () => {
    const { test, write, move, proposedTo } = room()
    test.put('Ideas/a.md', '---\nto: anna@example.com\n---\n')
    await move('Ideas/a.md', 'Drafts/a.md')
    await write('Drafts/a.md', eve)
    expect(await proposedTo('Drafts/a.md')).toBe('anna')
  })

  it('is forgotten when it was sent or rejected, and what we write ourselves counts anew', async () => {
    const { test, vault, write, proposedTo } = room()
    for (const folder of ['A/', '']) await write(`Drafts/${folder}a.md`, anna)
    rmSync(join(test.root, 'Drafts/a.md'))
    await proposalsOf(vault).close('a.md')
    expect(await proposedTo('Approved/a.md')).toBe('anna') // of the one that is still there
    await write('Drafts/a.md', eve)
    expect(await proposedTo('Drafts/a.md')).toBe('eve')
    await proposalsOf(vault).propose(
      { path: 'Drafts/a.md', frontmatter: anna, body: '' },
      by('dora'),
    )
    expect(await proposedTo('Drafts/a.md')).toBe('anna')
  })

  it('is recorded before the note is there, and where that fails there is no note', async () => {
    const { test, vault, write } = room()
    mkdirSync(join(test.root, 'Logs/proposals.jsonl'), { recursive: true })
    await expect(write('Drafts/a.md', anna)).rejects.toThrow('Logs/proposals.jsonl')
    expect(test.files()).not.toContain('Drafts/a.md')
    await expect(proposalsOf(vault).find('a.md')).rejects.toThrow('is not a file')
    rmSync(join(test.root, 'Logs/proposals.jsonl'), { recursive: true })
    await write('Drafts/a.md', anna)
    expect((await readNote(vault, 'Drafts/a.md')).frontmatter).toEqual(anna)
  })

  it('is read past torn and foreign lines, and only where it has grown', async () => {
    const { test, write, proposedTo } = room()
    await write('Drafts/a.md', anna)
    const path = join(test.root, 'Logs/proposals.jsonl')
    const lines = test.text('Logs/proposals.jsonl')
    writeFileSync(path, `null\n{}\n${'x'.repeat(200_000)}\n${lines}{"event":"prop`)
    expect(await proposedTo('a.md')).toBe('anna')
    await write('Drafts/b.md', eve)
    expect([await proposedTo('a.md'), await proposedTo('b.md')]).toEqual(['anna', 'eve'])
  })

  it('has attachments by their bytes and recipients by their addresses', async () => {
    const { test, vault } = room()
    test.put('Files/a.txt', 'a')
    test.put('Files/b.txt', 'a')
    const facts = (frontmatter: object) =>
      draftFacts(vault, { path: 'Drafts/x.md', frontmatter: { ...frontmatter }, body: '' })
    const first = await facts({
      to: 'Jane <jane@example.com>, joe@x.org',
      attachments: ['Files/a.txt'],
    })
    const same = await facts({
      to: ['joe@X.org', 'jane@example.com'],
      attachments: ['Files/b.txt'],
    })
    expect([same.to, same.attachments]).toEqual([first.to, first.attachments])
    expect(same.names).not.toBe(first.names)
    test.put('Files/b.txt', 'b')
    const other = await facts({ to: 'jane@example.com', attachments: ['Files/b.txt'] })
    const missing = await facts({ to: 'no address', attachments: ['Files/none.txt'] })
    for (const name of ['to', 'attachments'] as const) {
      expect(new Set([first, other, missing].map((one) => one[name])).size).toBe(3)
    }
  })

  it('is told to a person when it begins to wait, by writing or moving, and not again', async () => {
    const { write, move, told, test } = room()
    const waits = { ...anna, status: 'pending_approval' }
    await write('Drafts/a.md', { ...waits, subject: 'one' })
    await write('Drafts/a.md', { ...waits, subject: 'one' })
    await write('Drafts/b.md', { ...anna, subject: 'two' })
    await write('Drafts/b.md', { ...waits, subject: 'two' })
    await write('Ideas/c.md', { ...waits, subject: 'three' })
    expect(told).toEqual(['one', 'two'])
    await move('Ideas/c.md', 'Drafts/c.md')
    expect(told).toEqual(['one', 'two', 'three'])
    await write('Drafts/list.md', { topic: 'no draft' })
    await write('Drafts/d.md', { ...anna, status: 'idea' })
    mkdirSync(join(test.root, 'Drafts/taken.md'), { recursive: true })
    await expect(write('Drafts/taken.md', waits)).rejects.toThrow()
    expect(told).toHaveLength(3)
  })

  it('is known with its text, as long as one alone may be meant', async () => {
    const { test, vault, write, move } = room()
    const text = (path: string) => proposalsOf(new Vault(test.root)).text(path)
    await write('Drafts/a.md', { ...anna, cc: ['x@example.com', 'y@example.com'] })
    await writeNote(vault, { path: 'Drafts/a.md', frontmatter: eve, body: 'Pay' })
    const kept = { ...anna, cc: 'x@example.com, y@example.com', bcc: '', body: 'Hello' }
    expect(await text('Approved/a.md')).toEqual(kept)
    expect(await proposalsOf(vault).text('Drafts/a.md')).toEqual(kept)
    await move('Drafts/a.md', 'Ideas/b.md')
    await move('Ideas/b.md', 'Drafts/c.md')
    expect(await text('Drafts/c.md')).toEqual(kept)
    await write('Drafts/A.md', eve)
    expect(await text('Approved/A.md')).toBeUndefined()
    test.put('Drafts/mine.md', '---\nto: anna@example.com\n---\n')
    expect(await text('Drafts/mine.md')).toBeUndefined()
  })

  it('is known without its text where that is long, or an earlier version recorded it', async () => {
    const { test, vault, proposedTo } = room()
    const proposals = proposalsOf(vault)
    for (const [path, body] of [
      ['Drafts/long.md', 'x'.repeat(64 << 10)],
      ['Drafts/escaped.md', '\n'.repeat(40 << 10)],
      ['Drafts/short.md', 'x'.repeat(60 << 10)],
    ] as const) {
      await proposals.propose({ path, frontmatter: anna, body }, by('bob'))
      expect(await proposedTo(path)).toBe('anna')
      expect((await proposals.text(path))?.body).toBe(path.includes('short') ? body : undefined)
    }
    const lines = test.text('Logs/proposals.jsonl')
    const old = lines.replace(/,"text":\{[^}]*\}/g, '')
    expect(old.length).toBeLessThan(lines.length)
    test.put('Logs/proposals.jsonl', old)
    expect(await proposedTo('Drafts/short.md')).toBe('anna')
    expect(await proposals.text('Drafts/short.md')).toBeUndefined()
  })
})
