/** list_notes with a filter, answered from the index: always what the notes themselves say. */
import {
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listNotes } from '../../../src/vault/list.ts'
import { readNote, writeNote } from '../../../src/vault/notes.ts'
import { stampOf, unsure } from '../../../src/vault/search/stamp.ts'
import type { VaultSearch } from '../../../src/vault/search/vault-search.ts'
import { eventually } from '../../support/eventually.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { brokenNotes } from '../../support/vault/broken-notes.ts'
import { sourceOf } from '../../support/vault/note-pieces.ts'
import { randomNote } from '../../support/vault/random-notes.ts'
import { type Notes, pathsOf, SearchVault } from '../../support/vault/search-vault.ts'
import { trickyNotes } from '../../support/vault/tricky-notes.ts'

const noteWith = (yaml: string) => `---\n${yaml}\n---\nText.\n`

/** Values that look alike, and fields that are easy to confuse. */
const alike: Notes = Object.fromEntries(
  [
    ...['n: 1', 'n: 1.0', "n: '1'", 'n: 01', 'n: 0x1', 'n: [1, 2]', 'n: [[1]]', 'n: {n: 1}'],
    ...['n: true', "n: 'true'", 'n: TRUE', 'n: yes', 'n: null', 'n: ~', 'n:', "n: ''", 'n: "null"'],
    ...['n: 2026-01-01', 'n: 2026-01-01T00:00:00Z', 'n: "2026-01-01 00:00"', 'n: 9007199254740993'],
    ...['n: .nan', 'n: .inf', 'n: -0', 'n: 1e3', 'n: "a: b"', 'n: a"b', 'n: "\\ud800"', 'n: é'],
    ...['n: &a x\nm: [*a]', '__proto__: 1', 'constructor: 1', '"n n": 1', '"a\\"b": 1', 'x: n:1'],
    ...[
      'N: 1',
      '"n": 1',
      "'n': 1",
      '? n\n: 1',
      'm: "\\"n\\":1"',
      `n: 1\nlong: ${'x'.repeat(5000)}`,
    ],
    ...[`n: &a ${'x'.repeat(900)}\nm: [*a, *a, *a, *a, *a, *a]`],
  ].map((yaml, index) => [`alike/${index}.md`, noteWith(yaml)]),
)

const fields = ['n', 'm', 'N', '__proto__', 'constructor', 'n n', 'a"b', 'x', 'toString', 'long']
const values = [
  ...['1', '1.0', '01', '0x1', '2', 'true', 'TRUE', 'false', 'yes', 'null', '~', ''],
  ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01 00:00', '9007199254740993', '0', '1000'],
  ...['a: b', 'a"b', '\ud800', 'é', 'e\u0301', 'x', 'n:1', '"n":1', '[1,2]', 'x'.repeat(5000)],
]
const filters = fields.flatMap((field) => values.map((value) => `${field}:${value}`))

/** Until it knows each note by a stamp that it trusts. */
async function settled(vault: SearchVault): Promise<VaultSearch> {
  const search = await vault.indexed()
  await eventually('the index is sure of every note', async () => {
    search.changed('')
    await search.ready()
    const { notes } = await listNotes(vault.vault, { directory: '' })
    const folders = new Set(
      notes.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')))),
    )
    const known = await Promise.all([...folders].map((folder) => search.knownIn(folder)))
    const sure = known.flatMap((one) => [...(one?.values() ?? [])]).filter(({ stamp }) => stamp)
    return sure.length === notes.length
  })
  return search
}

const listed = async (vault: SearchVault, filter: string, search?: VaultSearch) =>
  pathsOf((await listNotes(vault.vault, { directory: '', filter }, search)).notes)

async function expectSame(
  vault: SearchVault,
  search: VaultSearch,
  some = filters,
): Promise<number> {
  let found = 0
  for (const filter of some) {
    const plain = await listed(vault, filter)
    expect([filter, await listed(vault, filter, search)]).toEqual([filter, plain])
    found += plain.length
  }
  return found
}

describe('a list from the index', () => {
  it('has the notes that the plain one has, by type and by value', async () => {
    const vault = new SearchVault(alike)
    expect(await expectSame(vault, await settled(vault))).toBeGreaterThan(100)
  })

  it('has them for notes that are hard to read, and for those that cannot be', async () => {
    const vault = new SearchVault({
      ...Object.fromEntries(trickyNotes.map(({ text }, index) => [`tricky/${index}.md`, text])),
      ...Object.fromEntries(brokenNotes.map(({ bytes }, index) => [`broken/${index}.md`, bytes])),
      'large.md': `${noteWith('n: 1')}${'x'.repeat(5 << 20)}`,
      'bom.md': `\ufeff${noteWith('n: 1')}`,
      'crlf.md': noteWith('n: 1').replaceAll('\n', '\r\n'),
      'latin1.md': Buffer.from(noteWith('n: é'), 'latin1'),
      'none.md': 'n: 1',
    })
    const search = await settled(vault)
    const all = trickyNotes.flatMap(({ values: read }) =>
      Object.entries(read).map(([key, value]) => `${key}:${value}`),
    )
    const usable = [...new Set([...all, 'n:1', 'n:é'])].filter((one) => one.indexOf(':') > 0)
    expect(await expectSame(vault, search, usable)).toBeGreaterThan(20)
  })

  it('has them for random notes', async () => {
    const random = seededRandom()
    const notes: Notes = {}
    const some = new Set<string>()
    for (let index = 0; index < 150; index++) {
      const { bom, open, pieces, close, body } = randomNote(random)
      notes[`${index % 4}/${index}.md`] = [bom, open, ...pieces.map(sourceOf), close, body].join('')
      for (const piece of pieces) {
        if (typeof piece === 'string' || piece.key === '' || piece.key.includes(':')) continue
        const [one] = [piece.value].flat(1)
        if (some.size < 150) some.add(`${piece.key}:${one}`)
      }
    }
    const vault = new SearchVault(notes)
    expect(await expectSame(vault, await settled(vault), [...some])).toBeGreaterThan(0)
  })

  it('sees at once what changed behind its back', async () => {
    const names = ['same-size', 'same-times', 'renamed', 'gone', 'swapped', 'linked', 'folder']
    const vault = new SearchVault({
      ...Object.fromEntries(names.map((name) => [`in/${name}.md`, noteWith('n: 1')])),
      'in/other.md': noteWith('n: 2'),
      'in/deep/er.md': noteWith('n: 1'),
    })
    const search = await settled(vault)
    const at = (name: string) => vault.path(`in/${name}.md`)
    writeFileSync(at('same-size'), noteWith('n: 2'))
    const { atime, mtime } = statSync(at('same-times'))
    writeFileSync(at('same-times'), noteWith('n: 2'))
    utimesSync(at('same-times'), atime, mtime)
    renameSync(at('renamed'), at('new name'))
    rmSync(at('gone'))
    renameSync(at('other'), at('swapped'))
    rmSync(at('linked'))
    symlinkSync(at('swapped'), at('linked'))
    vault.write({ 'in/new.md': noteWith('n: 1'), 'in/aaa/new.md': noteWith('n: 1') })
    renameSync(vault.path('in/deep'), vault.path('in/zeep'))
    const ones = ['aaa/new.md', 'folder.md', 'new name.md', 'new.md', 'zeep/er.md']
    expect(await listed(vault, 'n:1', search)).toEqual(ones.map((name) => `in/${name}`))
    await expectSame(vault, search, ['n:1', 'n:2'])
  })

  it.runIf(process.getuid?.() !== 0)('skips a note that may not be read any more', async () => {
    const vault = new SearchVault({ 'a.md': noteWith('n: 1'), 'b.md': noteWith('n: 1') })
    const search = await settled(vault)
    chmodSync(vault.path('a.md'), 0)
    expect(await listed(vault, 'n:1', search)).toEqual(['b.md'])
  })

  it('sees its own writes at once', async () => {
    const vault = new SearchVault({ 'a.md': noteWith('n: 1') })
    const search = await settled(vault)
    vault.vault.onChange = (path) => search.changed(path)
    for (let n = 2; n < 30; n++) {
      const { frontmatter, body } = await readNote(vault.vault, 'a.md')
      await writeNote(vault.vault, { path: 'a.md', frontmatter: { ...frontmatter, n }, body })
      expect(await listed(vault, `n:${n}`, search)).toEqual(['a.md'])
      expect(await listed(vault, `n:${n - 1}`, search)).toEqual([])
    }
  })

  it('follows a program that writes without rest', async () => {
    const vault = new SearchVault({ 'a.md': noteWith('n: 0') })
    const search = await vault.indexed()
    for (let n = 1; n < 300; n++) {
      writeFileSync(vault.path('a.md'), noteWith(`n: ${n % 10}`))
      search.changed('a.md')
      if (n % 7 === 0) await search.ready()
      expect(await listed(vault, `n:${n % 10}`, search)).toEqual(['a.md'])
    }
  })

  it('goes page by page in the same order', async () => {
    const paths = ['b.md', 'a/z.md', 'a/b/c.md', 'a/c.md', 'a b.md', 'a-b.md', 'A/x.md', 'a.md']
    const vault = new SearchVault(Object.fromEntries(paths.map((path) => [path, noteWith('n: 1')])))
    const search = await settled(vault)
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const page = await listNotes(
        vault.vault,
        { directory: '', filter: 'n:1', limit: 3, cursor },
        search,
      )
      pages.push(...pathsOf(page.notes))
      cursor = page.next_cursor
    } while (cursor)
    expect(pages).toEqual(await listed(vault, 'n:1'))
    expect(pages).toHaveLength(paths.length)
  })

  it('takes the word of the index for a note of the same stamp, or where it has every change, and for no other (control)', async () => {
    const vault = new SearchVault({ 'a.md': noteWith('n: 1') })
    const stamp = stampOf(statSync(vault.path('a.md'), { bigint: true }))
    const told = (known: string, isSettled = false) =>
      listNotes(
        vault.vault,
        { directory: '', filter: 'n:2' },
        {
          knownIn: async () => new Map([['a.md', { stamp: known, fields: '{"n":2}' }]]),
          isSettled: async () => isSettled,
        },
      )
    expect((await told(stamp)).notes).toHaveLength(1)
    expect((await told(`${stamp}0`)).notes).toEqual([])
    expect((await told(`${stamp}0`, true)).notes).toHaveLength(1)
    expect((await told(unsure, true)).notes).toEqual([])
    expect(readFileSync(vault.path('a.md'), 'utf8')).toBe(noteWith('n: 1'))
  })

  it('is a plain one where there is no index', async () => {
    const vault = new SearchVault({ 'a.md': noteWith('n: 1') })
    const search = vault.search()
    expect(await search.knownIn('')).toBeUndefined()
    expect(await listed(vault, 'n:1', search)).toEqual(['a.md'])
    await search.ready()
    await search.close()
    expect(await listed(vault, 'n:1', search)).toEqual(['a.md'])
  })
})
