/** Search: what a reader of every message would find, on every store. */
import { expect, it } from 'vitest'
import { checked, searchQuery } from '../../../src/connection/queries.ts'
import { choiceFrom } from '../../support/seeded-random.ts'
import {
  at,
  type NewDatabase,
  TestClock,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

async function open(newDatabase: NewDatabase) {
  const database = await TestDatabase.create(newDatabase)
  const clock = new TestClock()
  const { coordination, project } = await database.server({ clock })
  const ann = await project.agents.register({ name: 'ann', role: 'coder' })
  const bob = await project.agents.register({ name: 'bob', role: 'coder' })
  const say = (body: string, { agent_id = ann.agent_id, channel = 'dev', subject = '-' } = {}) =>
    project.messages.send({ agent_id, channel, subject, body })
  const search = async (words: string[], request: object = {}) =>
    project.search(checked(searchQuery, { words, ...request }))
  const found = async (words: string[], request: object = {}) =>
    (await search(words, request)).results.map(({ text }) => text.replace(/^-\n/, ''))
  return { coordination, project, clock, ann, bob, say, search, found }
}

/** What is said, and words that are in it, and that are not. */
const texts: [text: string, words: string[], others: string[]][] = [
  ['The Parser is GREEN', ['parser', 'PARSE', 'ser is', 'reen', 'the'], ['parsers', 'ser  is']],
  [
    '100 % of_it \\ "is" \'fine\'',
    ['%', '_', '\\', '"', "'", '0 % o', '_it \\'],
    ['%%', '\\"', '__'],
  ],
  ['naïve café', ['NAÏVE', 'CAFE\u0301', 'fé', 'ïv'], ['cafe', 'naive']],
  ['decomposed cafe\u0301 A\u030angstro\u0308m', ['CAFÉ', 'ångström', 'fe\u0301 å'], ['cafe ']],
  ['Größe 5 STRAẞE', ['GRÖßE', 'straße', 'öß'], ['grosse', 'strasse']],
  ['Привет, МИР: пРоБа', ['привет', 'ПРИВЕТ', 'мир', 'Проба', 'ивет, м'], ['приветы', 'проба ']],
  ['ΟΔΟΣ οδός Σίσυφος', ['οδος', 'ΟΔΌΣ', 'ΣΊΣΥΦΟΣ', 'σίσυφοσ'], ['οδοσα']],
  ['东京的测试通过了', ['东京', '测试', '京的测', '了'], ['京东', '測試']],
  ['compatibility \uf900 here', ['\u8c48'], ['\u8c49']],
  ['اختبار المحلل', ['المحلل', 'ختبا'], ['محللة']],
  ['한국어 테스트', ['한국', '국어 테'], ['한글']],
  ['한국말 테스트'.normalize('NFD'), ['한국말', '말 테'], ['한말']],
  ['が日本'.normalize('NFD'), ['が日'], ['か日']],
  ['नमस्ते क़लम', ['नमस्ते', 'क़लम'.normalize('NFC')], ['नमस्कार']],
  ['deploy 🚀👩‍💻 done 👍🏽', ['🚀', '👩‍💻 done', '👍🏽'], ['🛸']],
  ['300 \u212a and İstanbul; \u2126', ['300 k', 'k and', 'i\u0307stan', 'ω', 'ul;'], ['istanbul']],
  ['ǅungla ﬁ ϴ', ['ǆungla', 'ǄUNGLA', 'ﬁ', 'θ'], ['fi']],
  [`${'long '.repeat(2000)}needle at the end`, ['needle', 'g needle at the end'], ['needles']],
]

export function searchSuite(newDatabase: NewDatabase): void {
  it('finds parts of words in any script and case, and nothing else', async () => {
    const { say, found } = await open(newDatabase)
    for (const [text] of texts) await say(text)
    for (const [text, words, others] of texts) {
      for (const word of words) expect(await found([word]), word).toContain(text)
      for (const word of others) expect(await found([word]), word).not.toContain(text)
      expect(await found(words)).toEqual([text])
      expect(await found([...words, ...others])).toEqual([])
    }
  })

  it('finds what a reader of all finds, however it is composed and cased', async () => {
    const { say, found } = await open(newDatabase)
    const random = choiceFrom(17)
    const letters = [
      ...'aAkKiIsS;` éÉ\u0301eEñßẞıİſ\u212aåÅ\u212bжЖйЙ\u0306иσςΣάὰ\u1f71東\uf900한\u1112\u1161\u11abが\u3099か%_\\',
    ]
    const some = (length: number) =>
      upTo(length)
        .map(() => at(letters, random(letters.length)))
        .join('')
    const bodies = upTo(150).map(() => `x${some(12)}`)
    for (const body of bodies) await say(body)
    const same = (text: string) => text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
    for (const _ of upTo(150)) {
      const body = at(bodies, random(bodies.length))
      const start = random(10)
      const word =
        [same(body).slice(start, start + 1 + random(4)), some(2)][random(5) === 0 ? 1 : 0] ?? ''
      if (word.trim() === '' || !word.isWellFormed()) continue
      const wanted = bodies.filter((one) => same(`-\n${one}`).includes(same(word)))
      expect(await found([word], { limit: 500 }), JSON.stringify(word)).toEqual(wanted.reverse())
    }
  })

  it('is of messages and changes, newest first, each by what it has', async () => {
    const { project, clock, ann, bob, say, search, found } = await open(newDatabase)
    await say('first word', { subject: 'Greeting' })
    await project.changes.announce({
      agent_id: bob.agent_id,
      file_path: 'src/word.ts',
      summary: 'second',
    })
    clock.pass(1000)
    const third = new Date(clock.now()).toISOString()
    clock.pass(1000)
    await say('third word', { agent_id: bob.agent_id, channel: '@ann' })
    await project.changes.announce({
      agent_id: ann.agent_id,
      file_path: 'a.ts',
      summary: 'fourth Word',
    })
    const page = await search(['word'])
    expect(page).toEqual({
      results: [
        { id: 2, kind: 'change', agent: 'ann', channel: null, text: 'a.ts\nfourth Word' },
        { id: 2, kind: 'message', agent: 'bob', channel: '@ann', text: '-\nthird word' },
        { id: 1, kind: 'change', agent: 'bob', channel: null, text: 'src/word.ts\nsecond' },
        { id: 1, kind: 'message', agent: 'ann', channel: 'dev', text: 'Greeting\nfirst word' },
      ].map((one) => ({ ...one, at: expect.stringMatching(/^2026-01-15T00:00:0\d\.\d{6}Z$/) })),
      has_more: false,
    })
    expect(page.results.map((one) => one.at)).toEqual(
      page.results
        .map((one) => one.at)
        .toSorted()
        .reverse(),
    )
    expect(await found(['greet', 'first'])).toEqual(['Greeting\nfirst word'])
    expect(await found(['word', 'SRC/'])).toEqual(['src/word.ts\nsecond'])
    expect(await found(['word'], { channel: 'dev' })).toEqual(['Greeting\nfirst word'])
    expect(await found(['word'], { channel: 'none' })).toEqual([])
    expect(await found(['word'], { agent: 'bob' })).toEqual(['third word', 'src/word.ts\nsecond'])
    expect(await found(['word'], { agent: ann.agent_id })).toHaveLength(2)
    expect(await found(['word'], { since: third })).toEqual(['a.ts\nfourth Word', 'third word'])
    expect(await found(['word'], { since: '2026-01-16T00:00:00Z' })).toEqual([])
    expect(await search(['word'], { limit: 1 })).toEqual({
      results: [at(page.results, 0)],
      has_more: true,
    })
    expect((await search(['word'], { limit: 4 })).has_more).toBe(false)
  })

  it('is of one project', async () => {
    const { coordination, say } = await open(newDatabase)
    await say('word')
    const other = coordination.project('other')
    expect(await other.search({ words: ['word'], limit: 50 })).toEqual({
      results: [],
      has_more: false,
    })
  })

  it('goes on over many pieces, and ends when it is told to', async () => {
    const { project, ann, search } = await open(newDatabase)
    const send = (body: string) =>
      project.messages.send({ agent_id: ann.agent_id, channel: 'dev', subject: '-', body })
    await Promise.all(upTo(1500).map((n) => send(n % 500 === 0 ? `rare ${n}` : `common ${n}`)))
    expect((await search(['rare'])).results).toHaveLength(3)
    expect((await search(['common', '7'])).has_more).toBe(true)
    const ids = (await search(['common'], { limit: 500 })).results.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((one, other) => other - one))
    expect(new Set(ids).size).toBe(500)
    const gone = AbortSignal.abort()
    const ended = await project.search({ words: ['common'], limit: 50 }, gone)
    expect(ended.results).toEqual([])
  })

  it('takes hostile words as words, and no more than it can bear', async () => {
    const { say, search, found } = await open(newDatabase)
    const hundred = upTo(100).map((n) => `w${n}`)
    const body = `${hundred.join(' ')} ${'é'.repeat(900)}`
    await say(body)
    await say("'; DROP TABLE messages; --")
    expect(await found(hundred)).toEqual([body])
    expect(await found([...hundred.slice(1), 'w0'])).toEqual([])
    expect(await found(['É'.repeat(900)])).toEqual([body])
    expect(await found(['É'.repeat(901)])).toEqual([])
    expect(await found(["'; drop table messages; --"])).toEqual(["'; DROP TABLE messages; --"])
    for (const word of ['\0', 'w1\0', '%00', '\u0301', '\ufffd', '-\nw1']) {
      expect(await found([word, 'w1']), word).toEqual([])
    }
    await expect(search(['x'.repeat(1001)])).rejects.toThrow('1000 characters in all')
    await expect(search(upTo(101).map(String))).rejects.toThrow('words must be at most 100')
    await expect(search([])).rejects.toThrow('words is required')
    await expect(search([' '])).rejects.toThrow('words is required')
  })
}
