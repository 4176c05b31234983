/** Every cause for which there is no connection has words of its own. */
import { expect, it } from 'vitest'
import { connectionTrouble, noStartTls } from './connection-trouble.ts'

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'of an authority that is not known'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'of an authority that is not known'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'of an authority that is not known'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
  ['EPROTO', 'it speaks no TLS at that port'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it speaks no TLS at that port'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'there is no safe connection'],
  [noStartTls, 'it has no STARTTLS at that port'],
])('says of %s that it is not safe: %s', (code, words) => {
  const { says, isUnsafe } = connectionTrouble(code)
  expect([says, isUnsafe]).toEqual([expect.stringContaining(words), true])
  expect(says).toMatch(/^there is no safe connection to the mail server/)
})

it.each([
  ['ENOTFOUND', 'the name of the mail server does not exist'],
  ['EAI_AGAIN', 'the name of the mail server could not be looked up'],
  ['ECONNREFUSED', 'nobody listens at the port of the mail server'],
  ['ENETUNREACH', 'there is no way to the mail server'],
  ['GREETING_TIMEOUT', 'the mail server did not answer in time'],
  ['ETIMEDOUT', 'the mail server did not answer in time'],
  ['ClosedAfterConnectTLS', 'the mail server hung up'],
  ['ClosedAfterConnectText', 'the mail server hung up'],
  ['ECONNRESET', 'the mail server hung up'],
  ['', 'the mail server cannot be reached'],
])('says of %j nothing of TLS: %s', (code, words) => {
  expect(connectionTrouble(code)).toMatchObject({ says: words, isUnsafe: false })
})
