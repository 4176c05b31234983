import { describe, expect, it } from 'vitest'
import { hiddenInName } from '../../src/vault/hidden-in-name.ts'

describe('a name in which all can be seen', () => {
  it.each([
    ...[
      'plain',
      'ü 会议',
      'Zoë’s “plan” — №1',
      'a\u00a0b',
      '全角\u3000空白',
      'e\u0301',
      'שלום',
      'مرحبا',
    ],
    ...[
      '👨‍👩‍👧‍👦 family',
      '👩🏽‍💻',
      '❤️',
      '❤️‍🔥',
      '🏳️‍🌈',
      '🏴‍☠️',
      '🧑🏿‍🤝‍🧑🏻',
      '👁️‍🗨️',
      '☎︎',
      '1️⃣ #️⃣ *️⃣',
      '🇩🇪',
    ],
    ...['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 x', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', '©️ ™️'],
    ...['می\u200cخواهم', 'کتاب\u200cها', 'خانه\u200cٔ', 'کار\u200cها', 'ه\u200dا', 'گفت\u200cوگو'],
    ...[
      'क्\u200dष',
      'क्\u200cष',
      'गर्\u200dयो',
      'র\u200d্য',
      'ন্\u200d',
      'അവന്\u200d',
      'ශ්\u200dරී',
      'ರ\u200d್ಕ',
    ],
    ...['ක්\u200dෂ', 'க்\u200cஷ', 'ક્\u200cષ', 'ଶ୍ର\u200cୀ', 'తెలుగు', 'က\ufe00'],
  ])('%j may be used', (name) => {
    expect(hiddenInName(name)).toBeUndefined()
  })
})

describe('a name with something that cannot be seen', () => {
  const characters = [
    ...['\n', '\r', '\t', '\0', '\v', '\f', '\x1b', '\x7f', '\x85', '\x9b', '\u2028', '\u2029'],
    ...['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\u2061', '\u2064', '\ufeff'],
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
    ...['\u061c', '\u00ad', '\u034f', '\u115f', '\u1160', '\u3164', '\uffa0', '\u17b4', '\u17b5'],
    ...['\u180b', '\u180c', '\u180d', '\u180e', '\u180f', '\u2800', '\ufff9', '\ufffa', '\ufffb'],
    ...['\ufe00', '\ufe0e', '\ufe0f', '\u{e0001}', '\u{e0061}', '\u{e007f}', '\u{e0100}'],
    ...[
      '\u206a',
      '\u206f',
      '\u{1bca0}',
      '\u{1d173}',
      '\u{e0fff}',
      '\ufdd0',
      '\uffff',
      '\ud800',
      '\udc00',
    ],
  ]
  it.each(characters)('%j is refused wherever it stands in a plain word', (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    for (const name of ['ab', '会议', 'Пл', 'שם', '日本', '한글', '12']) {
      expect(hiddenInName(`${name}${character}`)).toBe(`U+${code}`)
      expect(hiddenInName(`${character}${name}`)).toBe(`U+${code}`)
      expect(hiddenInName(name.replace(/^(.)/u, `$1${character}`))).toBe(`U+${code}`)
    }
  })

  it.each([
    ...['👩‍', '‍👩', '👩‍‍💻', '👩‍a', 'a‍👩', '❤️️', '1️', '1️x', '👩\u200c💻', '👩\u200b💻'],
    ...['🏴󠁧󠁢', '🏴󠁧󠁢󠁥󠁮󠁧', '🏴󠁩󠁧󠁮󠁯󠁲󠁥󠁿', 'a󠁧󠁢󠁥󠁮󠁧󠁿', '👩󠁧󠁢󠁥󠁮󠁧󠁿'],
    ...[
      'می\u200c',
      '\u200cمی',
      'می\u200c\u200cخواهم',
      'می\u200ca',
      'a\u200cمی',
      'می\u200bخ',
      'می\u200eخ',
    ],
    ...['क\u200d', 'क\u200d\u200dष', 'क\u200da', '\u200dक', 'a\u200dक', 'م\u200dक', 'क\ufe00'],
    ...['葛\u{e0100}城', 'ᠮ\u180bᠣ'],
  ])('%j is refused', (name) => {
    expect(hiddenInName(name)).toMatch(/^U\+[0-9A-F]{4,6}$/)
  })
})
