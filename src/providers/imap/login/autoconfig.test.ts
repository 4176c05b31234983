import { describe, expect, it } from 'vitest'
import { autoconfigUrls, readAutoconfig } from './autoconfig.ts'

const jane = 'jane@example.com'

const server = (kind: string, type: string, fields: Record<string, string>): string =>
  `<${kind} type="${type}">${Object.entries(fields)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('')}</${kind}>`

const whole = (...servers: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ours -->\n<clientConfig version="1.1"><emailProvider id="example.com"><domain>example.com</domain>${servers.join('\n')}</emailProvider></clientConfig>\n`

const fields = { hostname: 'imap.example.com', port: '993', socketType: 'SSL' }
const imap = (more: Record<string, string> = {}) =>
  server('incomingServer', 'imap', { ...fields, ...more })

/** The IMAP servers of a file that has one which is like this. */
const read = (more: Record<string, string>) => readAutoconfig(whole(imap(more)), jane)?.imap

describe('an autoconfig file', () => {
  it('is asked for over HTTPS alone, with the address encoded', () => {
    expect(autoconfigUrls('jane+a&b@example.com').map(String)).toEqual([
      'https://autoconfig.example.com/mail/config-v1.1.xml?emailaddress=jane%2Ba%26b%40example.com',
      'https://example.com/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=jane%2Ba%26b%40example.com',
    ])
  })

  it('gives the servers that have TLS, in its order', () => {
    const found = readAutoconfig(
      whole(
        server('incomingServer', 'pop3', { ...fields, port: '995' }),
        imap({ username: '%EMAILADDRESS%' }),
        imap({ hostname: 'mail.example.com', port: '143', socketType: 'STARTTLS' }),
        imap({ socketType: 'plain', port: '143' }),
        server('outgoingServer', 'smtp', {
          ...{ hostname: 'smtp.%EMAILDOMAIN%', port: '465', socketType: 'SSL' },
          username: '%EMAILLOCALPART%',
        }),
      ),
      jane,
    )
    expect(found).toEqual({
      imap: [
        { host: 'imap.example.com', port: 993, isSecure: true, isLoopback: false, user: jane },
        { host: 'mail.example.com', port: 143, isSecure: false, isLoopback: false },
      ],
      smtp: [
        { host: 'smtp.example.com', port: 465, isSecure: true, isLoopback: false, user: 'jane' },
      ],
    })
  })

  it.each([
    'localhost',
    'imap.localhost',
    '127.0.0.1',
    '[::1]',
    '10.0.0.1',
    '0x7f.1',
    'imap',
    'imap.example.com:25',
    'imap.example.com/../x',
    'user@imap.example.com',
    'imap.exa mple.com',
    'imap.example.com&#10;QUIT',
    '-imap.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}example.com`,
    '',
  ])('names no server called %j', (hostname) => {
    expect(read({ hostname }) ?? []).toEqual([])
  })

  it.each(['0', '65536', '-1', '1e3', '993 ', '', '0x10', '99999999999999999999'])(
    'names no server at port %j',
    (port) => {
      const isBlank = port.trim() === '993'
      expect(read({ port })).toHaveLength(isBlank ? 1 : 0)
    },
  )

  it.each(['%REALNAME%', 'a b', 'jane&#13;&#10;LOGOUT', '', 'x'.repeat(300)])(
    'gives no user %j',
    (username) => {
      const found = read({ username })
      expect(found?.map(({ user }) => user) ?? []).toEqual(found ? [undefined] : [])
    },
  )

  it.each([
    ['an entity of its own', '<!DOCTYPE a [<!ENTITY h "evil.test">]><clientConfig/>'],
    ['an entity that reaches out', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><clientConfig/>'],
    ['an unknown entity', whole(imap({ hostname: '&h;' }))],
    ['a bare ampersand', whole(imap({ hostname: 'a&b' }))],
    ['CDATA', whole(imap({ hostname: '<![CDATA[imap.example.com]]>' }))],
    ['an element that is left open', whole('<incomingServer type="imap">')],
    ['elements that cross', '<clientConfig><a><b></a></b></clientConfig>'],
    ['two roots', '<clientConfig/><clientConfig/>'],
    ['text around', 'hello <clientConfig/>'],
    ['another root', '<html><body>Not found</body></html>'],
    ['an attribute twice', '<clientConfig a="1" a="2"/>'],
    ['no quotes', '<clientConfig a=1/>'],
    ['nothing', ''],
    ['only a comment that never ends', `<!--${'-'.repeat(60_000)}`],
    ['endless depth', `<clientConfig>${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}</clientConfig>`],
    ['too many elements', `<clientConfig>${'<a/>'.repeat(10_000)}</clientConfig>`],
    ['too much', whole(imap(), ' '.repeat(100_000))],
  ])('is not read at all with %s', (_, text) => {
    expect(readAutoconfig(text, jane)).toBeUndefined()
  })

  it.each([
    `<clientConfig ${'a="b" '.repeat(9000)}`,
    `<clientConfig${' '.repeat(60_000)}`,
    `<clientConfig>${'&'.repeat(60_000)}`,
    `<clientConfig>${'<'.repeat(60_000)}`,
    `${'<?'.repeat(30_000)}`,
  ])('is given up where it only takes time', (text) => {
    expect(readAutoconfig(text, jane)).toBeUndefined()
  })

  it('names eight servers of a kind at most', () => {
    const many = Array.from({ length: 500 }, (_, count) => imap({ port: String(count + 1) }))
    expect(readAutoconfig(whole(...many.slice(0, 300)), jane)?.imap).toHaveLength(8)
  })
})
