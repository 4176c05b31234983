/** Addresses of databases: what they may say, and what is told of a wrong one. */
import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../../errors.ts'
import { isMysqlAddress, mysqlAddress } from './address.ts'

const refusal = (text: string): string => {
  try {
    mysqlAddress(text)
  } catch (error) {
    if (AgentMailError.is(error) && error.code === 'server_config') return error.text
    throw error
  }
  return expect.fail(`${text} was taken`)
}

describe('the address of a database', () => {
  it('names a user, a password, a host, a port and a database', () => {
    expect(mysqlAddress('mysql://me:secret@db.example.com:3307/agentmail')).toEqual({
      hosts: [{ host: 'db.example.com', port: 3307 }],
      user: 'me',
      password: 'secret',
      database: 'agentmail',
      tls: undefined,
      shown: 'mysql://me@db.example.com:3307/agentmail',
    })
  })

  it.each([
    { text: 'mysql://me:p%40ss%3Aw%2Frd%25@h/d', password: 'p@ss:w/rd%' },
    { text: 'mysql://me:a@b@h/d', password: 'a@b' },
    { text: 'mysql://me:a:b@h/d', password: 'a:b' },
    { text: 'mysql://me:a/b@h/d', password: 'a/b' },
    { text: 'mysql://me:a?b@h/d', password: 'a?b' },
    { text: 'mysql://me@h/d', password: '' },
    { text: 'MySQL://h/d', password: '' },
  ])('takes the password of $text, and never shows it', ({ text, password }) => {
    const address = mysqlAddress(text)
    expect(address).toMatchObject({ password, hosts: [{ host: 'h', port: 3306 }], database: 'd' })
    if (password) expect(address.shown).not.toContain(password)
  })

  it('takes every node of a cluster, and addresses of both kinds', () => {
    expect(mysqlAddress('mysql://u:p@a,b:3307,[::1]:3308,127.0.0.1/d').hosts).toEqual([
      { host: 'a', port: 3306 },
      { host: 'b', port: 3307 },
      { host: '::1', port: 3308 },
      { host: '127.0.0.1', port: 3306 },
    ])
  })

  it.each([
    { query: 'ssl-mode=required', tls: { rejectUnauthorized: false, verifyIdentity: false } },
    { query: 'ssl-mode=VERIFY_CA', tls: { rejectUnauthorized: true, verifyIdentity: false } },
    { query: 'ssl-mode=verify_identity', tls: { rejectUnauthorized: true, verifyIdentity: true } },
    { query: 'ssl-mode=disabled', tls: undefined },
    { query: '', tls: undefined },
  ])('proves the server as ?$query asks for', ({ query, tls }) => {
    expect(mysqlAddress(`mysql://h/d?${query}`).tls).toEqual(tls)
  })

  it('proves everything where an authority is named', () => {
    const { tls } = mysqlAddress(`mysql://h/d?ssl-ca=${import.meta.filename}`)
    expect(tls).toMatchObject({ rejectUnauthorized: true, verifyIdentity: true })
    expect(tls?.ca?.toString()).toContain('proves everything')
  })

  it.each([
    'mysql://',
    'mysql:///d',
    'mysql://h',
    'mysql://h/',
    'mysql://h/a/b',
    'mysql://h/d`d',
    'mysql://h:0/d',
    'mysql://h:70000/d',
    'mysql://h:x/d',
    'mysql://a,,b/d',
    'mysql://h/d?ssl-mode=maybe',
    'mysql://h/d?ssl-ca=/no/such/file',
    'mysql://h/d?password=x',
    'mysql://127.0.0.1/d?ssl-mode=verify_identity',
  ])('is refused in words when it is %s', (text) => {
    expect(refusal(text)).toMatch(/^the address of the database cannot be used: .+\n.*AGENTMAIL_DB/)
  })

  it('is refused without its password in the words', () => {
    for (const text of [
      'mysql://me:swordfish%@h/d',
      'mysql://me:swordfish@h',
      'mysql://me:swordfish@/d',
    ]) {
      expect(refusal(text)).not.toContain('swordfish')
    }
  })

  it('is told from a path', () => {
    expect(['mysql://h/d', 'agentmail.db', '/mysql/x', 'mysql'].map(isMysqlAddress)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
