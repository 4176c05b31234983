/** What a search of the vault finds and in which order, from the notes themselves and from the index. */
import { describe, expect, it } from 'vitest'
import { maxNoteBytes } from '../../src/vault/note-file.ts'
import { isLong } from '../support/parts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { bothWays, pathsOf, SearchVault } from '../support/vault/search-vault.ts'

describe('a search of the vault', () => {
  it('wants every word, in any order', async () => {
    await bothWays(
      { 'a.md': 'one two three', 'b.md': 'three one', 'c.md': 'two' },
      async (find) => {
        expect((await find('three one')).sort()).toEqual(['a.md', 'b.md'])
        expect(await find('two three')).toEqual(['a.md'])
        expect(await find('one four')).toEqual([])
        expect((await find('one one')).sort()).toEqual(['a.md', 'b.md'])
      },
    )
  })

  it('finds words in the path, the title, values of the front matter, and the body together', async () => {
    const note = '---\ntitle: Blue\ntags: [green, grey]\nnested:\n  deep: "caf\\u00e9"\n---\nred'
    await bothWays({ 'Folder Name/Some Note.md': note, 'other.md': 'red' }, async (find) => {
      for (const query of ['red blue', 'folder red', 'some note', 'Name/Some', 'green red grey']) {
        expect(await find(query), query).toEqual(['Folder Name/Some Note.md'])
      }
      expect(await find('cafe')).toEqual(['Folder Name/Some Note.md'])
      for (const query of ['tags', 'nested', 'title', 'u00e9'])
        expect(await find(query)).toEqual([])
    })
  })

  it('finds a note by the name of its file', async () => {
    await bothWays(
      { 'Inbox/plan.md': 'x', 'b.md': 'see Inbox/plan.md', 'c.md': 'md' },
      async (find) => {
        expect((await find('inbox/plan.md')).sort()).toEqual(['Inbox/plan.md', 'b.md'])
        expect((await find('plan.md')).sort()).toEqual(['Inbox/plan.md', 'b.md'])
        expect((await find('md')).sort()).toEqual(['b.md', 'c.md'])
      },
    )
  })

  it('takes the query as text, never as a syntax', async () => {
    const notes = {
      'plain.md': 'alpha beta gamma',
      'odd.md': '"alpha" AND beta* OR NOT NEAR(gamma) title:alpha -alpha ^alpha {alpha} 100% a\\b',
    }
    await bothWays(notes, async (find) => {
      const texts = [
        '"alpha"',
        'alpha AND beta',
        'beta*',
        'OR',
        'NOT',
        'NEAR(gamma)',
        'title:alpha',
      ]
      const more = ['-alpha', '^alpha', '{alpha}', '100%', 'a\\b', 'NEAR(', '"', 'alpha"', '*']
      for (const query of [...texts, ...more]) {
        expect(await find(query), query).toEqual(['odd.md'])
      }
      expect((await find('alpha beta')).sort()).toEqual(['odd.md', 'plain.md'])
      for (const query of ["'", '$', 'texts:alpha', 'alpha + beta', ')(', '\0', '\ud800']) {
        expect(await find(query), query).toEqual([])
      }
    })
  })

  it('ignores case, accents and composition', async () => {
    await bothWays(
      { 'Über/Cafe\u0301.md': 'Ångström', 'b.md': 'A\u030angstro\u0308m STRASSE' },
      async (find) => {
        expect((await find('ANGSTROM')).sort()).toEqual(['b.md', 'Über/Cafe\u0301.md'])
        expect(await find('uber café')).toEqual(['Über/Cafe\u0301.md'])
        expect(await find('straße')).toEqual(['b.md'])
      },
    )
  })

  it('finds parts of words, after whole words', async () => {
    const notes = { 'a.md': 'a restart', 'b.md': 'some art here', 'c.md': 'artful', 'd.md': 'x' }
    await bothWays(notes, async (find) => {
      const [first, ...rest] = await find('art')
      expect([first, rest.sort()]).toEqual(['b.md', ['a.md', 'c.md']])
      expect(await find('star')).toEqual(['a.md'])
      expect(await find('ome her')).toEqual(['b.md'])
    })
  })

  it('finds words of scripts without blanks', async () => {
    const notes = {
      'a.md': '東京タワーに行きました',
      'b.md': '京都と東の山',
      'c.md': '오늘은 한국어를 배웁니다',
      'd.md': 'สวัสดีครับ',
      'e.md': '第3回iPhone会議',
    }
    await bothWays(notes, async (find) => {
      expect(await find('東京')).toEqual(['a.md'])
      expect(await find('タワー')).toEqual(['a.md'])
      expect((await find('東')).sort()).toEqual(['a.md', 'b.md'])
      expect(await find('한국')).toEqual(['c.md'])
      expect(await find('한국어'.normalize('NFD'))).toEqual(['c.md'])
      expect(await find('สวัสดี')).toEqual(['d.md'])
      for (const query of ['3回iphone会', 'phone会', '回iPh']) {
        expect(await find(query), query).toEqual(['e.md'])
      }
    })
  })

  it('takes what stands between letters as it is', async () => {
    const notes = {
      'a.md': 'c and c# and abc',
      'b.md': 'c++ code',
      'c.md': 'foo-bar',
      'd.md': 'foo bar',
    }
    await bothWays(notes, async (find) => {
      expect(await find('c++')).toEqual(['b.md'])
      expect(await find('c#')).toEqual(['a.md'])
      expect(await find('foo-bar')).toEqual(['c.md'])
      expect(await find('oo-ba')).toEqual(['c.md'])
      expect((await find('foo bar')).sort()).toEqual(['c.md', 'd.md'])
      expect(await find('o-b')).toEqual(['c.md'])
      expect(await find('-')).toEqual(['c.md'])
    })
  })

  it('finds what has no letters at all', async () => {
    await bothWays({ 'a.md': 'x → y 😀', 'b.md': 'x -> y' }, async (find) => {
      expect(await find('→')).toEqual(['a.md'])
      expect(await find('😀')).toEqual(['a.md'])
      expect(await find('x -> y')).toEqual(['b.md'])
    })
  })

  it('puts phrases first, and paths and titles before bodies', async () => {
    const filler = 'lorem ipsum dolor '.repeat(20)
    const notes = {
      'y/7 parts.md': `redder ${filler} foxes`,
      'y/6 words.md': `fox ${filler} red`,
      'y/5 red and one fox.md': filler,
      'y/4 body.md': `${filler} red fox ${filler}`,
      'y/3 heading.md': `# A red fox\n${filler}`,
      'y/2 alias.md': `---\naliases: [the red fox]\n---\n${filler}`,
      'y/1 red fox.md': filler,
    }
    await bothWays(notes, async (find) => {
      const order = (await find('red fox')).map((path) => Number(path[2]))
      expect(order.slice(0, 3).sort()).toEqual([1, 2, 3])
      expect(order.slice(3)).toEqual([4, 5, 6, 7])
      expect((await find('red fox', 4)).length).toBe(4)
      const parts = (await find('ed fo')).map((path) => Number(path[2]))
      expect(parts.slice(0, 3).sort()).toEqual([1, 2, 3])
      expect(parts[3]).toBe(4)
    })
  })

  it('knows notes that it cannot read by what it can', async () => {
    const notes = {
      'large one.md': Buffer.alloc(maxNoteBytes + 1, 'word '),
      'bytes one.md': Buffer.from([0x77, 0xff, 0x78, 0x20, 0x77]),
      'broken one.md': '---\nkey: a: b\nkey: word\n---\nbody',
      'unclosed one.md': '---\nkey: word\nbody',
    }
    await bothWays(notes, async (find) => {
      expect((await find('one')).length).toBe(4)
      expect((await find('word')).sort()).toEqual(['broken one.md', 'unclosed one.md'])
      expect((await find('key')).sort()).toEqual(['broken one.md', 'unclosed one.md'])
    })
  })

  it('finds parts of words that very many words have', async () => {
    const words = (from: number) =>
      Array.from({ length: 700 }, (_, word) => `sea${from + word}side`)
    const notes = {
      'a.md': words(0).join(' '),
      'b.md': words(500).join(' '),
      'c.md': `${words(1100).join(' ')} sand`,
      'd.md': 'a seaside',
    }
    await bothWays(notes, async (find) => {
      expect((await find('sea')).length).toBe(4)
      expect((await find('sea', 2)).length).toBe(2)
      expect((await find('sea sid')).length).toBe(4)
      expect(await find('ea san')).toEqual(['c.md'])
      expect((await find('ea600 ide')).sort()).toEqual(['a.md', 'b.md'])
      expect(await find('ide sea702side a1')).toEqual(['b.md'])
    })
  })

  it('finds the same from the index as from the notes', async () => {
    const random = seededRandom()
    const pick = (from: string[]) => from[Math.floor(random() * from.length)] ?? ''
    const parts = ['re', 'do', 'mi', 'é', 'ß', 'x9', '東', '京', 'が', '한', 'Σ', 'ø', 'ก']
    const joints = ['', '', '', ' ', ' ', '-', '_', '++', '. ', '/', '\n', '→', "'"]
    const text = (length: number) => {
      let made = ''
      for (let part = 0; part < length; part++) made += pick(parts) + pick(joints)
      return made
    }
    const notes: Record<string, string> = {}
    for (let note = 0; note < 60; note++) {
      const name = `${text(2).replace(/[/\n.]/g, '')}${note}`
      const matter = random() < 0.5 ? `---\nkey: ${pick(parts)}\nlist: [do, x9]\n---\n` : ''
      notes[`${pick(['', 'mi/', 'Σ/re/'])}${name}.md`] = matter + text(1 + random() * 30)
    }
    const vault = new SearchVault(notes)
    const search = await vault.indexed()
    for (let query = 0; query < (isLong ? 1000 : 100); query++) {
      const wanted = text(1 + random() * 4)
      const found = pathsOf(await search.search(wanted, 1000)).sort()
      expect(found, JSON.stringify(wanted)).toEqual((await vault.scan(wanted, 1000)).sort())
    }
  })
})
