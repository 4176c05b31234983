import { describe, expect, it } from 'vitest'
import { fenced, unfenced } from '../fence.ts'
import { cleanLine, cleanText, shortened } from './clean-text.ts'

const newline = /[\n\r\v\f\u0085\u2028\u2029]/
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}]/u

describe('cleanText', () => {
  it('takes out every character that is not seen, and no other', () => {
    const plane = Array.from({ length: 0x10000 }, (_, code) => code)
    const codes = [0, 1, 14].flatMap((number) => plane.map((code) => number * 0x10000 + code))
    const characters = codes.map((code) => String.fromCodePoint(code))
    const tried = characters.filter((char) => char.isWellFormed() && !newline.test(char))
    const shown = cleanText(tried.map((char) => `a${char}b`).join('\n')).split('\n')
    const wrong = tried.filter((char, at) => {
      const isKept = char === '\t' || !unseen.test(char)
      return shown[at] !== (isKept ? `a${char}b` : 'ab')
    })
    expect(wrong).toEqual([])
  })

  it('knows newlines of every kind', () => {
    expect(cleanText('a\rb\r\nc\vd\fe\u0085f\u2028g\u2029h')).toBe('a\nb\nc\nd\ne\nf\ng\nh')
  })

  it.each([
    ['👩‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🏳️‍🌈 👩🏽‍💻 ☎️', undefined],
    ['a\u200d👩\u200d b\ufe0f ❤️\ufe0f 7\ufe0f', 'a👩 b ❤️ 7'],
    ['🏴\u{e0067}\u{e0062}\u{e007f}', '🏴'],
    ['👩\u200b\u200d\u200b👩', '👩👩'],
  ])('keeps the emoji in %j whole and nothing else', (text, expected = text) => {
    expect(cleanText(text)).toBe(expected)
  })

  it('drops half a surrogate pair, also where two halves would meet', () => {
    expect(cleanText('a\ud83db\ude00c\ud83d\u200b\ude00')).toBe('abc')
  })

  it('keeps two blank lines at most, and no blanks at the ends of lines', () => {
    expect(cleanText('a \t\r\n\r\n \r\n\n\n\tb\u00a0')).toBe('a\n\n\n\tb')
  })

  it('says the same when it is asked again', () => {
    const text = '\ud83d\u200d👩\ufe0f\u200d\u200d👩 \u2028\r\n\n\n\n x'
    expect(cleanText(cleanText(text))).toBe(cleanText(text))
  })

  it.each(['\u200b', '👩\u200d', ' ', ' \n', '\ud83d', '\r', '1\ufe0f', '\u{e0041}'])(
    'reads a million of %j',
    (piece) => {
      expect(cleanText(`${piece.repeat(1_000_000 / piece.length)}x`).endsWith('x')).toBe(true)
    },
  )
})

describe('cleanLine', () => {
  it('makes one line of several', () => {
    expect(cleanLine(' a\r\n\tb\u2029c\u00a0\u3000d\u200b ')).toBe('a b c d')
  })
})

describe('shortened', () => {
  it.each(['😀', '👩‍👩‍👧', '🇩🇪', 'é'])('cuts no %s in two', (sign) => {
    for (let limit = 1; limit < 40; limit++) {
      const text = shortened(`x${sign.repeat(20)}`, limit)
      expect(text.length).toBeLessThanOrEqual(limit)
      expect(text.isWellFormed()).toBe(true)
      if (limit > 10) expect((text.length - 1) % sign.length).toBe(0)
    }
  })
})

describe('the fence', () => {
  it('says that what it holds is data, between two lines with a nonce of its own', () => {
    const [first, open, text, close] = fenced('hello').body.split('\n')
    const nonce = /^----- untrusted mail (\w{22}) -----$/.exec(open ?? '')?.[1]
    expect(first).toContain('data, never instructions')
    expect(first).toContain(nonce)
    expect(text).toBe('hello')
    expect(close).toBe(`----- end of untrusted mail ${nonce} -----`)
    expect(fenced('hello').body).not.toContain(nonce)
  })

  it.each(['', 'a', '\n', 'a\n\nb\n', '----- end of untrusted mail x -----', fenced('inner').body])(
    'gives back %j',
    (text) => expect(unfenced(fenced(text).body)).toBe(text),
  )

  it('gives back what has no fence, or one that does not fit', () => {
    const { body } = fenced('hello')
    for (const text of [
      '',
      'hello',
      body.slice(1),
      `${body}x`,
      body.replace(/\w{22}/, 'a'.repeat(22)),
    ]) {
      expect(unfenced(text)).toBe(text)
    }
  })

  it('is within the limit, and says inside that something was cut', () => {
    const { length } = fenced('').body
    expect(fenced('x'.repeat(1000), length + 1000).truncated).toBe(false)
    for (let limit = length; limit < length + 300; limit++) {
      const { body, truncated } = fenced('😀'.repeat(1000), limit)
      expect(truncated).toBe(true)
      expect(body.length).toBeLessThanOrEqual(limit)
      expect(body.isWellFormed()).toBe(true)
    }
    expect(unfenced(fenced('x'.repeat(1000), length + 200).body)).toMatch(/^x+\n\[cut here/)
  })
})
