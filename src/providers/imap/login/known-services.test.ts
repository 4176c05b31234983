import { expect, it } from 'vitest'
import { outsiders, usualServers } from './find-mail-servers.ts'
import { serviceOfDomain, serviceOfExchanger, serviceOfServer } from './known-services.ts'

it('knows the large services by their domains, each with TLS or on this machine', () => {
  const domains =
    'gmail.com googlemail.com outlook.com hotmail.de icloud.com fastmail.com yahoo.co.uk gmx.de gmx.com web.de posteo.de mailbox.org zoho.com zoho.eu proton.me aol.com t-online.de'
  for (const domain of domains.split(' ')) {
    const service = serviceOfDomain(domain)
    expect(service, domain).toBeDefined()
    for (const server of [service?.imap, service?.smtp]) {
      expect(server?.isSecure || server?.isLoopback || server?.port === 587, domain).toBe(true)
    }
    if (service?.takes !== 'password') expect(service?.advice, domain).toMatch(/\.$/)
  }
  expect(serviceOfDomain('example.com')).toBeUndefined()
  expect(serviceOfDomain('')).toBeUndefined()
})

it('knows customers of a service by who takes their mail, and no name that only ends alike', () => {
  expect(serviceOfExchanger('aspmx.l.google.com')?.name).toBe('Gmail')
  expect(serviceOfExchanger('example-com.mail.protection.outlook.com')?.takes).toBe('token')
  expect(serviceOfExchanger('evilgoogle.com')).toBeUndefined()
  expect(serviceOfExchanger('mx.example.com')).toBeUndefined()
  expect(
    serviceOfServer({ host: 'imap.gmail.com', port: 993, isSecure: true, isLoopback: false })?.name,
  ).toBe('Gmail')
  expect(
    serviceOfServer({ host: '127.0.0.1', port: 1143, isSecure: false, isLoopback: true }),
  ).toBeUndefined()
})

it('tries TLS from the start before anything else', () => {
  expect(usualServers('example.com', 'imap').map(({ host, port }) => `${host}:${port}`)).toEqual([
    ...['imap.example.com:993', 'mail.example.com:993'],
    ...['imap.example.com:143', 'mail.example.com:143'],
  ])
  expect(usualServers('example.com', 'smtp').map(({ host, port }) => `${host}:${port}`)).toEqual([
    ...['smtp.example.com:465', 'mail.example.com:465'],
    ...['smtp.example.com:587', 'mail.example.com:587'],
  ])
  expect(usualServers('localhost', 'imap')).toEqual([])
})

it('knows which servers are outside the domain of an address', () => {
  const server = (host: string) => ({ host, port: 993, isSecure: true, isLoopback: false })
  const outside = (address: string, ...hosts: string[]) => outsiders(address, hosts.map(server))
  expect(outside('a@example.com', 'imap.example.com', 'example.com')).toEqual([])
  expect(outside('a@example.com', 'imap.evilexample.com', 'example.com.evil.test')).toHaveLength(2)
  expect(outside('a@example.com', 'imap.gmail.com', 'imap.gmail.com')).toEqual(['imap.gmail.com'])
  expect(outside('a@gmail.com', 'imap.gmail.com')).toEqual([])
})
