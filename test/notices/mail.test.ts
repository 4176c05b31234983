/** What of mail needs a person: a draft, and a mail of which nobody knows whether it has left; each told once. */
import { describe, expect, it } from 'vitest'
import type { MailRequest } from '../../src/email/outgoing/mail-request.ts'
import { unclear } from '../../src/errors.ts'
import { aMail, MailRoom } from '../support/email/mail-room.ts'
import { TestNotices } from '../support/notices/spool.ts'

async function start(env: Record<string, string> = {}) {
  const notices = await TestNotices.start()
  const room = new MailRoom({
    AGENTMAIL_NOTIFY: notices.receiver.url,
    XDG_STATE_HOME: notices.folder,
    ...env,
  })
  const send = async (mail: MailRequest) => {
    const outgoing = await room.open() // as another process would
    return outgoing.send(mail)
  }
  const posted = async () => {
    await notices.post()
    return notices.receiver.bodies
  }
  return { room, notices, send, posted }
}

const approve = { AGENTMAIL_SEND_POLICY: 'approve' }
const about = { project: 'default', from: 'agentmail', url: '' }

describe('a draft', () => {
  it('is told by who asked and its subject, never its text', async () => {
    const { send, posted, notices } = await start({ ...approve, AGENTMAIL_AGENT: 'bob' })
    const text = 'confidential words'
    await send({ ...aMail, subject: 'Offer', text })
    expect(await posted()).toEqual([{ ...about, kind: 'draft', from: 'bob', subject: 'Offer' }])
    expect(JSON.stringify(notices.receiver.came)).not.toContain('confidential')
  })

  it('is told once, though it is asked for again with its key', async () => {
    const { send, posted } = await start(approve)
    const keyed = { ...aMail, idempotency_key: 'k1' }
    for (let again = 0; again < 3; again++) {
      expect(await send(keyed)).toMatchObject({ status: 'pending_approval' })
    }
    await send({ ...aMail, idempotency_key: 'k2' })
    expect(await posted()).toHaveLength(2)
    await send(keyed)
    expect(await posted()).toHaveLength(2)
  })

  it('is written though nobody can be told', async () => {
    const { send } = await start({ ...approve, AGENTMAIL_NOTIFY: 'no address' })
    expect(await send(aMail)).toMatchObject({ status: 'pending_approval' })
  })

  it('is not told where the mail goes out at once', async () => {
    const { send, posted } = await start()
    expect(await send(aMail)).toMatchObject({ status: 'sent' })
    expect(await posted()).toEqual([])
  })
})

describe('a mail of which nobody knows whether it has left', () => {
  const inDoubt = { ...aMail, subject: 'In doubt', idempotency_key: 'k' }

  it('is told once, however often it is asked for', async () => {
    const { room, send, posted } = await start()
    room.service.answer = async () => {
      throw unclear('the connection was lost')
    }
    for (let again = 0; again < 3; again++) {
      await expect(send(inDoubt)).rejects.toThrow('the connection was lost')
    }
    expect(room.service.taken).toHaveLength(1)
    expect(await posted()).toEqual([{ ...about, kind: 'unknown_send', subject: 'In doubt' }])
  })

  it('is not told where the service knows that it was sent', async () => {
    const { room, send, posted } = await start()
    room.service.answer = async () => {
      throw unclear('the connection was lost')
    }
    await expect(send(inDoubt)).rejects.toThrow()
    expect(await posted()).toHaveLength(1)
    room.service.find = async () => room.service.receipt()
    expect(await send(inDoubt)).toMatchObject({ status: 'sent' })
    expect(await posted()).toHaveLength(1)
  })

  it('is not told of one that certainly did not leave', async () => {
    const { send, posted } = await start({ AGENTMAIL_SEND_TO: 'example.org' })
    await expect(send(aMail)).rejects.toThrow()
    expect(await posted()).toEqual([])
  })
})
