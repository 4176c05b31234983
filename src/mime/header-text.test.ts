import { describe, expect, it } from 'vitest'
import { checkHeaderText } from './header-text.ts'

describe('the text of a header', () => {
  it.each(['', 'Hello', 'Grüße 👩‍💻 — "quoted", <x>', 'ש\u200fלום', 'x'.repeat(2000)])(
    'is taken as it is: %j',
    (text) => expect(checkHeaderText('subject', text)).toBe(text),
  )

  it.each(['\r', '\n', '\0', '\t', '\x0b', '\x1b[31m', '\x7f', '\x85', '\x9f', '\u2028', '\u2029'])(
    'is refused with %j in it',
    (control) => {
      for (const text of [control, `a${control}Bcc: x@example.com`]) {
        expect(() => checkHeaderText('subject', text)).toThrow(
          'subject must not contain line breaks or control characters',
        )
      }
    },
  )

  it('is refused when it is too long or ends in half a character', () => {
    expect(() => checkHeaderText('tag', 'x'.repeat(2001))).toThrow(
      'tag is longer than 2000 characters',
    )
    expect(() => checkHeaderText('tag', 'x\ud83d')).toThrow('tag has half a character in it')
  })
})
