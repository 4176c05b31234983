/** A person's word that a draft is not to be sent: recorded, told in the notes, and never about a mail that has left. */
import { describe, expect, it } from 'vitest'
import {
  approveAsItIs,
  draft,
  draftsIn,
  recordsIn,
} from '../../../test/support/orchestrator/records-in.ts'
import { reject } from './reject.ts'
import { standingAt } from './standing.ts'

const anna = { by: 'anna' }

describe('reject', () => {
  it.each(['approved', 'prepared', 'sending', 'unknown', 'sent'] as const)(
    'refuses a mail that is %s',
    async (state) => {
      const { vault, test } = draftsIn({ 'Approved/x.md': draft() })
      await expect(
        reject(recordsIn(vault, { name: 'x.md', state }), 'Approved/x.md', anna),
      ).rejects.toThrow('cannot be rejected')
      expect(test.text('Approved/x.md')).toBe(draft())
    },
  )

  it.each(['approved', 'failed'] as const)('takes back one that rests as %s', async (state) => {
    const { vault, test } = draftsIn({ 'Approved/x.md': draft() })
    const records = recordsIn(vault, { name: 'x.md', state, reason: 'no token' })
    const rejected = await reject(records, 'Approved/x.md', { ...anna, reason: 'rude' })
    expect(rejected).toEqual({
      path: 'Done/x.md',
      status: 'rejected',
      reason: 'rude',
      mail: null,
    })
    expect(await reject(recordsIn(vault), 'Approved/x.md', anna)).toEqual(rejected)
    test.put('Approved/x.md', test.text('Done/x.md'))
    expect(await standingAt(recordsIn(vault), 'Approved/x.md')).toMatchObject({
      is: 'void',
      reason: expect.stringContaining('rejected by anna'),
    })
  })

  it('takes what cannot be sent, and leaves alone what does not wait', async () => {
    const { vault, test } = draftsIn({
      'Drafts/bad.md': '---\nto: 7\n---\n',
      'Ideas/x.md': draft(),
      'Drafts/gone.md': draft('status: unknown\n'),
      'Needs_Action/other.md': '---\nmessage_id: abc\nstatus: pending\n---\n',
      'Drafts/answer.md': draft('reply_to_message_id: abc\n'),
    })
    expect((await reject(recordsIn(vault), 'Drafts/bad.md', anna)).path).toBe('Done/bad.md')
    await expect(reject(recordsIn(vault), 'Ideas/x.md', anna)).rejects.toThrow(
      'is not in Drafts/ or Approved/',
    )
    await expect(reject(recordsIn(vault), 'Drafts/gone.md', anna)).rejects.toThrow(
      'may have been sent',
    )
    await expect(reject(recordsIn(vault), 'Drafts/none.md', anna)).rejects.toThrow(
      'there is no note',
    )
    await reject(recordsIn(vault), 'Drafts/answer.md', anna)
    expect(test.text('Needs_Action/other.md')).toContain('status: pending\n')
  })
})

describe('a note that a person moves by hand', () => {
  const answer = (body: string) => draft('reply_to_message_id: abc\n', body)

  it('may answer a mail whose draft was rejected, but not one whose draft was approved', async () => {
    const { vault, test } = draftsIn({ 'Drafts/x.md': answer('No\n') })
    await reject(recordsIn(vault), 'Drafts/x.md', anna)
    test.put('Approved/own.md', answer('Yes\n'))
    expect((await standingAt(recordsIn(vault), 'Approved/own.md')).is).toBe('by hand')
    test.put('Drafts/y.md', answer('Perhaps\n'))
    await approveAsItIs(recordsIn(vault), 'Drafts/y.md', anna)
    expect(await standingAt(recordsIn(vault), 'Approved/own.md')).toMatchObject({
      is: 'void',
      reason: expect.stringContaining('Approved/y.md'),
    })
  })
})
