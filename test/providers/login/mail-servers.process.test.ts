/** How the mail servers of an address are found: by a real DNS server, a real HTTPS server, and real connections. */
import { createServer } from 'node:https'
import { expect, it } from 'vitest'
import { ended, startWorker } from '../../support/agentmail.ts'
import { listening } from '../../support/listening.ts'
import { loading } from '../../support/loading.ts'
import { describeWith } from '../../support/parts.ts'
import { type DnsRecords, startDnsServer } from '../../support/providers/login/dns-server.ts'
import {
  type Certificate,
  certificateFor,
  tlsFront,
} from '../../support/providers/login/tls-front.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'

const here = { A: ['127.0.0.1'] }
const jane = 'jane@example.test'

/** Anything that greets as an IMAP server does will do. */
async function imapFront(certificate: Certificate) {
  const { createServer: createPlain } = await import('node:net')
  const greeting = createPlain((socket) => {
    socket.on('error', () => {})
    socket.write('* OK ready\r\n')
  })
  const place = await listening(greeting)
  return tlsFront(Number(place.split(':')[1]), certificate)
}

async function smtpFront(certificate: Certificate) {
  const server = await startSmtpServer({ user: jane, password: 'right-password' })
  return tlsFront(server.port, certificate)
}

async function foundWith(
  records: Record<string, DnsRecords>,
  certificate: Certificate,
  ...autoconfig: string[]
) {
  const dns = await startDnsServer(records)
  const env = {
    ...loading(['own-names']),
    ...{ OWN_DNS: dns.address, NODE_EXTRA_CA_CERTS: certificate.path },
  }
  const { stdout, stderr } = await ended(
    startWorker('find-mail-servers', [jane, ...autoconfig], env),
  )
  expect(stderr).toBe('')
  return { found: JSON.parse(stdout), asked: dns.asked }
}

const srv = (port: number, name: string, priority = 0, weight = 0): DnsRecords => ({
  SRV: [{ priority, weight, port, name }],
})

describeWith('openssl', 'the mail servers of an address', () => {
  it('are found by SRV records, the lowest number first, and by no record that says there is none', async () => {
    const certificate = certificateFor('imap.example.test', 'smtp.example.test')
    const [imap, smtp] = [await imapFront(certificate), await smtpFront(certificate)]
    const { found, asked } = await foundWith(
      {
        '_imaps._tcp.example.test': {
          SRV: [
            { priority: 20, weight: 9, port: 1, name: 'late.example.test' },
            { priority: 10, weight: 1, port: 2, name: 'light.example.test' },
            { priority: 10, weight: 5, port: imap.port, name: 'imap.example.test' },
          ],
        },
        '_imap._tcp.example.test': srv(0, '.'),
        '_submissions._tcp.example.test': srv(smtp.port, 'smtp.example.test'),
        'imap.example.test': here,
        'smtp.example.test': here,
      },
      certificate,
    )
    expect(found).toMatchObject({
      imap: { host: 'imap.example.test', port: imap.port, isSecure: true, isLoopback: false },
      smtp: { host: 'smtp.example.test', port: smtp.port, isSecure: true, isLoopback: false },
      unsafe: [],
    })
    expect(asked).toContain('_submission._tcp.example.test')
  })

  it('are found by the autoconfig file of the domain, with the name of the user', async () => {
    const certificate = certificateFor('localhost', 'mx.example.test')
    const [imap, smtp] = [await imapFront(certificate), await smtpFront(certificate)]
    const server = (kind: string, type: string, port: number) =>
      `<${kind} type="${type}"><hostname>mx.%EMAILDOMAIN%</hostname><port>${port}</port>
       <socketType>SSL</socketType><username>%EMAILLOCALPART%</username></${kind}>`
    const file = `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="x">
      ${server('incomingServer', 'imap', imap.port)}
      ${server('outgoingServer', 'smtp', smtp.port)}</emailProvider></clientConfig>`
    const paths: string[] = []
    const web = createServer(certificate, (request, response) => {
      paths.push(request.url ?? '')
      if (request.url?.startsWith('/elsewhere')) response.writeHead(302, { location: '/there' })
      response.end(request.url?.startsWith('/there') ? file : '')
    })
    const [, port] = (await listening(web)).split(':')
    const at = (path: string) => `https://localhost:${port}${path}`
    const names = { 'mx.example.test': here }
    const { found } = await foundWith(names, certificate, at('/elsewhere'), at('/there?a=b'))
    const user = 'jane'
    expect(found).toMatchObject({
      imap: { host: 'mx.example.test', port: imap.port, user },
      smtp: { host: 'mx.example.test', port: smtp.port, user },
    })
    // A redirect may lead anywhere, so none is followed.
    const redirected = await foundWith(names, certificate, at('/elsewhere'))
    expect(redirected.found.imap).toBeUndefined()
    expect(paths.sort()).toEqual(['/elsewhere', '/elsewhere', '/there?a=b'])
  })

  it('are not taken where the certificate does not fit, or is of nobody known', async () => {
    const certificate = certificateFor('other.example.test')
    const [imap, smtp] = [
      await imapFront(certificate),
      await smtpFront(certificateFor('smtp.example.test')),
    ]
    const records = {
      '_imaps._tcp.example.test': srv(imap.port, 'imap.example.test'),
      '_submissions._tcp.example.test': srv(smtp.port, 'smtp.example.test'),
      'imap.example.test': here,
      'smtp.example.test': here,
      'other.example.test': here,
    }
    const { found } = await foundWith(records, certificate)
    expect(found.imap).toBeUndefined()
    expect(found.smtp).toBeUndefined()
    expect(found.unsafe.sort()).toEqual(
      [`imap.example.test:${imap.port}`, `smtp.example.test:${smtp.port}`].sort(),
    )
    // The control: the name that the certificate has.
    const fitting = { ...records, '_imaps._tcp.example.test': srv(imap.port, 'other.example.test') }
    expect((await foundWith(fitting, certificate)).found.imap.host).toBe('other.example.test')
  })

  it('are those of the service that takes the mail of the domain', async () => {
    const { asked } = await foundWith(
      { 'example.test': { MX: [{ priority: 1, exchange: 'in1-smtp.messagingengine.com' }] } },
      certificateFor('example.test'),
    )
    expect(asked).toContain('imap.fastmail.com')
    expect(asked).toContain('smtp.fastmail.com')
  })

  it('are not found where there is no network, and that is soon', async () => {
    const { found } = await foundWith({}, certificateFor('example.test'))
    expect(found).toEqual({ unsafe: [] })
  })
})
