import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../errors.ts'
import { addressList } from './address.ts'
import { parseAddresses } from './parse-addresses.ts'

const pairs = (text: string) =>
  parseAddresses('to', text).map(({ name, address }) => [name, address])

function refusalOf(text: string): AgentMailError {
  try {
    parseAddresses('cc', text)
  } catch (error) {
    if (AgentMailError.is(error)) return error
    throw error
  }
  throw new Error(`was taken: ${JSON.stringify(text)}`)
}

const taken: [string, ...[name: string, address: string][]][] = [
  ['jane@example.com', ['', 'jane@example.com']],
  [' <jane@example.com> ', ['', 'jane@example.com']],
  ['Jane Doe <jane@example.com>', ['Jane Doe', 'jane@example.com']],
  ['Jane   Doe<jane@example.com>', ['Jane Doe', 'jane@example.com']],
  ['a@b.co,b@b.co , <c@b.co>', ['', 'a@b.co'], ['', 'b@b.co'], ['', 'c@b.co']],
  ['"Doe, Jane" <jane@b.co>, joe@b.co', ['Doe, Jane', 'jane@b.co'], ['', 'joe@b.co']],
  [String.raw`"Jane \"JD\" \\ Doe" <jd@b.co>`, [String.raw`Jane "JD" \ Doe`, 'jd@b.co']],
  ['"<a@b.co>, (x); y:" <jd@b.co>', ['<a@b.co>, (x); y:', 'jd@b.co']],
  ['"" <jd@b.co>', ['', 'jd@b.co']],
  [`Dr. Conan O'Neil Jr. <co@b.co>`, [`Dr. Conan O'Neil Jr.`, 'co@b.co']],
  ['山田　太郎 <taro@b.co>', ['山田　太郎', 'taro@b.co']],
  ['علی‌رضا <ali@b.co>', ['علی‌رضا', 'ali@b.co']],
  ['👩‍💻 ❤️ 葛\u{e0100}城 <dev@b.co>', ['👩‍💻 ❤️ 葛\u{e0100}城', 'dev@b.co']],
  ['ceo@good.com <evil@bad.com>', ['ceo@good.com', 'evil@bad.com']],
  [`!#$%&'*+-/=?^_\`{|}~.x@b.co`, ['', `!#$%&'*+-/=?^_\`{|}~.x@b.co`]],
  ['user%other@b.co', ['', 'user%other@b.co']],
  ['Jane@Example.COM', ['', 'Jane@example.com']],
  ['root@localhost', ['', 'root@localhost']],
  ['jane@bücher.example', ['', 'jane@xn--bcher-kva.example']],
  ['jane@xn--bcher-kva.example', ['', 'jane@xn--bcher-kva.example']],
  ['jane@例え。テスト', ['', 'jane@xn--r8jz45g.xn--zckzah']],
  ['1@4chan.org', ['', '1@4chan.org']],
]

const refused: [wrong: string, ...texts: string[]][] = [
  ['needs an address', '', '   '],
  ['has a comma with no address', 'a@b.co,,', 'a@b.co,', ',a@b.co', 'a@b.co, ,c@b.co'],
  ['has no @', 'jane', 'Doe, Jane <jane@b.co>', '<>', 'Jane <>', 'Jane <jane>'],
  ['more than one @', 'a@@b.co', 'a@b@c.co', '<a@b.co, c@d.co>', 'a@b.co c@d.co', '<@b.co,@c.co>'],
  ['has a space', 'a b@c.co', 'a@b .co', 'Jane a@b.co', '< a@b.co>', '<a@b.co >', 'a@b\u00a0c.co'],
  ['before the @', '@b.co', '.a@b.co', 'a.@b.co', 'a..b@c.co', `${'a'.repeat(65)}@b.co`],
  ['not ASCII', 'jörg@b.co', 'аdmin@b.co'],
  ['nothing after the @', 'a@'],
  ['without a dot', 'a@b', 'a@com'],
  ['domain that cannot exist', 'a@b..co', 'a@.co', 'a@b.co.', 'a@-b.co', 'a@b-.co', 'a@b_c.co'],
  [
    'domain that cannot exist',
    'a@b%2fc.co',
    'a@b/c.co',
    'a@℀.co',
    'a@xn--zzzzzzzz.co',
    'a@*.co',
    'a@b.1',
  ],
  ['over 63 characters', `a@${'b'.repeat(64)}.co`, `a@${'ü'.repeat(60)}.co`],
  ['longer than 254', `a@${'b.'.repeat(130)}co`, `a@${'ü.'.repeat(60)}co`],
  ['an IP address', 'a@127.0.0.1', 'a@0x7f.1', 'a@127.1', 'a@１２７.１', 'a@[127.0.0.1]'],
  [
    'a colon',
    'a@[IPv6:::1]',
    'team: a@b.co, c@d.co;',
    '<@x.co:a@b.co>',
    'a@b.co:25',
    'mailto:a@b.co',
  ],
  ['a semicolon: separate addresses with commas', 'a@b.co; c@d.co', 'a@b.co;'],
  ['parentheses', 'a@b.co (Jane)', 'Jane (home) <a@b.co>', 'a(x)@b.co'],
  ['in quotes as a whole', '"Jane" Doe <a@b.co>', 'Jane "JD" Doe <a@b.co>', 'a\\b <a@b.co>'],
  ['no address has', '"jane"@b.co', 'a\\b@c.co', 'a[b@c.co'],
  ['never closed', '"Jane <a@b.co>', 'Jane <a@b.co', '<<a@b.co>>', '"a\\" <a@b.co>'],
  ['in the wrong place', '<a@b.co> Jane', '<a@b.co> <c@d.co>', '<a@b.co><c@d.co>', 'a@b.co>'],
  [
    'encoded text',
    '=?utf-8?Q?Jane?= <a@b.co>',
    '"=?utf-8?B?SmFuZQ==?=" <a@b.co>',
    '=?x?Q?y?=@b.co',
  ],
  ['only looks like an @', 'a＠b.co', 'a﹫b.co', 'ceo＠good.com <evil@bad.com>'],
  ['invisible', 'a\u200bb@c.co', 'a@b\u00ad.co', '\u202eenaJ <a@b.co>', '"\u2066x\u2069" <a@b.co>'],
  [
    'invisible',
    '\ufeffa@b.co',
    'a\u200db <a@b.co>',
    'ㅤ <a@b.co>',
    'x\ufe0f <a@b.co>',
    '\ud800 <a@b.co>',
  ],
  ['invisible', 'a@نام\u200cه.co', 'Jane\u{e0041} <a@b.co>', '\u2800 <a@b.co>'],
]

describe('addresses', () => {
  it.each(taken)('are read: %s', (text, ...expected) => {
    expect(pairs(text)).toEqual(expected)
    const read = parseAddresses('to', text)
    expect(parseAddresses('to', addressList(read))).toEqual(read)
  })

  it.each(
    refused.flatMap(([wrong, ...texts]) => texts.map((text): [string, string] => [text, wrong])),
  )('are refused: %j %s', (text, wrong) => {
    const { code, message } = refusalOf(text)
    expect(code).toBe('invalid_request')
    expect(message).toMatch(/^cc\b/)
    expect(message).toContain(wrong)
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  })

  it('are refused for a control character before anything else', () => {
    for (const control of [
      '\r',
      '\n',
      '\r\nBcc: x@b.co',
      '\0',
      '\t',
      '\x7f',
      '\x85',
      '\u2028',
      '\u2029',
    ]) {
      for (const text of [
        `a@b.co${control}`,
        `${control}a@b.co`,
        `"J${control}" <a@b.co>`,
        `;${control}`,
      ]) {
        expect(refusalOf(text).message).toBe(
          'cc must not contain line breaks or control characters',
        )
      }
    }
  })

  it('are refused by the piece that is wrong, shortened', () => {
    const { message } = refusalOf(`good@b.co, ${'x'.repeat(500)}, other@b.co`)
    expect(message).toBe(`cc: "${'x'.repeat(60)}…" has no @`)
    expect(refusalOf('a\u202eb@c.co').message).toContain('"aU+202Eb@c.co"')
  })

  it('are at most 1,000, in at most 100,000 characters', () => {
    const many = Array.from({ length: 1000 }, (_, index) => `a${index}@b.co`)
    expect(pairs(many.join())).toHaveLength(1000)
    expect(refusalOf([...many, 'z@b.co'].join()).message).toContain('more than 1000 addresses')
    expect(refusalOf(' '.repeat(100_001)).message).toContain('longer than 100000 characters')
  })

  it('are judged before anybody loses patience, however they are built', () => {
    for (const unit of [' ', '"', '\\', '<', '=?', 'a.', '@', ',', 'ü', '"a"', '<>', '👩‍']) {
      for (const [before, after] of [
        ['', ''],
        ['"', '" <a@b.co>'],
        ['a', '@b.co'],
        ['a@', ''],
      ] as const) {
        try {
          parseAddresses('to', before + unit.repeat(99_000 / unit.length) + after)
        } catch (error) {
          expect(AgentMailError.is(error)).toBe(true)
        }
      }
    }
  })
})
