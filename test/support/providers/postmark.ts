/** A fake Postmark for all tests of a file, and mails that nothing is wrong with. */
import { beforeAll, beforeEach } from 'vitest'
import { afterAllTests } from '../at-end.ts'
import { FakePostmark } from './fake-postmark.ts'

/** One fake for all tests of a file, with nothing in it at the start of each. */
export function sharedFake(): () => FakePostmark {
  let fake: FakePostmark
  const atEnd = afterAllTests()
  beforeAll(async () => {
    fake = await FakePostmark.start(atEnd)
  })
  beforeEach(() => {
    for (const list of [fake.requests, fake.sent, fake.faults]) list.length = 0
  })
  return () => fake
}

/** A mail that nothing is wrong with. */
export const from = 'sender@example.com'
export const to = 'recipient@example.com'
export const mail = { from, to, subject: 'Hello', textBody: 'Hi' }
export const template = { from, to, templateId: 'welcome', templateModel: {} }
