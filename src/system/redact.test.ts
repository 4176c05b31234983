import { describe, expect, it } from 'vitest'
import { redacted } from './redact.ts'

const token = '5f1c9e2a-7d34-4b8e-9a61-0c2d3e4f5a6b'
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('redacted', () => {
  it.each([
    ['as it is', token],
    ['in capitals', token.toUpperCase()],
    ['without its dashes', token.replaceAll('-', '')],
    ['with something invisible in it', `${token.slice(0, 9)}\u200b${token.slice(9)}`],
    ['in hexadecimal', Buffer.from(token).toString('hex')],
    ['in base64', base64(token)],
    ['in base64 after one letter', base64(`:${token}`)],
    ['in base64 after a name', base64(`user:${token}:x`)],
    ['in base64url', Buffer.from(`a?${token}`).toString('base64url')],
  ])('masks a secret %s', (_, spelling) => {
    const text = redacted(`Not valid: ${spelling}. Try another.`, ['', token])
    expect(text).toMatch(/^Not valid: \S*\*{8}\S* Try another\.$/)
    expect(text.length).toBeLessThan(50)
  })

  it('masks a secret that is written as part of a URL, and one with signs of its own', () => {
    const secret = 'p(a|s)s word+/1'
    expect(redacted(`?t=${encodeURIComponent(secret)}&x`, [secret])).toBe('?t=********&x')
    expect(redacted(`it is ${secret}!`, [secret])).toBe('it is ********!')
  })

  it.each([
    'Bearer abc123',
    'Basic dXNlcjpwYXNzd29yZA==',
    'sk-live-aaaabbbbcccc',
    'ya29.a0AfH6SMBx',
    '1//0gabcdefghijklmnopqrstuv',
    'GOCSPX-abcdefgh',
    'AIzaSyA1234567890abcdefghijk',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'AKIAIOSFODNN7EXAMPLE',
    'ghp_abcdefghijklmnopqrst',
    'xoxb-1234567890-abc',
    'SG.abcdefgh.ijklmnopqrst',
    'smtp://user:hunter2@mail.example',
    'password=hunter2',
    '"api_key": "a1b2c3d4"',
    String.raw`{\"password\": \"a1b2c3d4\"}`,
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG',
    'Set-Cookie: sid=a1b2c3d4; theme=darkness',
  ])('masks what looks like a secret: %s', (secret) => {
    const text = redacted(`It was ${secret} there`, [])
    expect(text).toContain('********')
    for (const part of secret.match(/[\w]{7,}/g) ?? []) {
      if (!/^(password|api_key|aws_secret_access_key|example)$/.test(part))
        expect(text).not.toContain(part)
    }
    expect(text).toMatch(/^It was .* there$/)
  })

  it('leaves ordinary words and ids alone', () => {
    const words = `Invalid 'From' address: jane@example.com. Basic authentication, bearer of news, token: must be text; cookie: none; see https://example.com:8080/a and ${token} 👍`
    expect(redacted(words, ['abc'])).toBe(words)
  })

  it('makes one line of it, without what nobody sees', () => {
    expect(redacted('\u001b[1m a\r\n\tb\u202ec\u0000d\u2028e\ud800 ', [])).toBe('[1m a bc d e')
  })

  it('shortens it to 500 characters, none of them cut in half', () => {
    const text = redacted('👍'.repeat(1000), [])
    expect(Array.from(text)).toHaveLength(500)
    expect(text).toMatch(/^👍+…$/u)
  })

  it('is not held up by a long text, and leaves no half of a secret at its cut', () => {
    expect(redacted('//a:'.repeat(1_000_000), [])).toBe('')
    expect(redacted('token-'.repeat(1300), [])).toMatch(/^token-/)
    expect(redacted(`eyJ${'a'.repeat(7970)} ${token} and more`, [token])).toBe('********')
  })
})

describe('a secret in disguise', () => {
  const token = '3f2a9c41-77de-4b0a-9e55-0c1d2e3f4a5b'
  it.each([
    ['spaced', [...token].join(' ')],
    ['wrapped', `${token.slice(0, 18)}\n  ${token.slice(18)}`],
    ['percent-encoded', [...token].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')],
    ['in entities', [...token].map((one) => `&#${one.charCodeAt(0)};`).join('')],
    [
      'in hexadecimal entities',
      [...token].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join(''),
    ],
    ['escaped', [...token].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')],
    [
      'in full width',
      [...token].map((one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0)).join(''),
    ],
    ['cut in half', token.slice(0, 20)],
  ])('is not shown: %s', (_, disguise) => {
    const shown = redacted(`Bad token ${disguise}, sorry`, [token])
    expect(shown).toBe('(these words of the service held a secret, so they are not shown)')
  })

  it('is told from other ids', () => {
    const words = 'No server has the id 9d0e1f2a-1111-4222-8333-44445555aaaa'
    expect(redacted(words, [token])).toBe(words)
  })
})
