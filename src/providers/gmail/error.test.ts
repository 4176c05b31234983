import { expect, it } from 'vitest'
import { faultIn, readError, sendError } from './error.ts'

it.each([
  '<html>forbidden',
  '',
  null,
  {},
  { error: 'x' },
  { error: { errors: [{}], details: 'x' } },
])('takes a 403 for a refusal whatever stands in it: %j', (data) => {
  const fault = faultIn({ response: { status: 403, data } })
  expect(readError(fault)).toMatchObject({ code: 'permission_denied' })
  expect(sendError(fault)).toMatchObject({
    code: 'permission_denied',
    details: { outcome: 'not_sent' },
  })
})
