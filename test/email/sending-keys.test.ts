/** A mail with a key leaves once, whatever happens. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notSent, unclear } from '../../src/errors.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { aMail, MailRoom } from '../support/email/mail-room.ts'

const unknown = { code: 'send_failed', details: { outcome: 'unknown' } }

describe('a key', () => {
  const keyed = { ...aMail, idempotency_key: 'draft-1' }
  const receipt = { message_id: 'found', thread_id: 't', sent_at: '2026-01-15T10:00:00.000Z' }

  /** Nobody knows whether the mail was sent. */
  async function withLostReply() {
    const room = new MailRoom()
    const outgoing = await room.open()
    room.service.answer = () => Promise.reject(unclear('the reply was lost'))
    await expect(outgoing.send(keyed)).rejects.toMatchObject(unknown)
    return { room, outgoing }
  }

  it('sends once, and gives the same answer again', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    const first = await outgoing.send(keyed)
    expect(await outgoing.send(keyed)).toEqual(first)
    expect(await (await room.open()).send(keyed)).toEqual(first)
    expect(room.service.taken.length).toBe(1)
  })

  it('sends once when several processes use it at the same moment', async () => {
    const room = new MailRoom()
    const processes = await Promise.all([1, 2, 3, 4].map(() => room.open()))
    const answers = await Promise.all(processes.map((outgoing) => outgoing.send(keyed)))
    expect(room.service.taken.length).toBe(1)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    // Without the key, each would have sent.
    await Promise.all(processes.map((outgoing) => outgoing.send(aMail)))
    expect(room.service.taken.length).toBe(5)
  })

  it('sends once whatever vault there is', async () => {
    const room = new MailRoom()
    symlinkSync(room.vault, join(room.folder, 'link'))
    for (const path of [room.vault, '', join(room.folder, 'link'), room.folder]) {
      await (await room.open({ VAULT_PATH: path })).send(keyed)
    }
    expect(room.service.taken.length).toBe(1)
  })

  it('is refused for another mail', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    await outgoing.send(keyed)
    for (const other of [
      { to: 'joe@example.com' },
      { subject: 'x' },
      { text: 'x' },
      { cc: 'a@b.example' },
    ]) {
      await expect(outgoing.send({ ...keyed, ...other })).rejects.toMatchObject({
        code: 'invalid_request',
        message: 'idempotency_key was used before with other content',
      })
    }
    expect(room.service.taken.length).toBe(1)
  })

  it('may be used again when it is certain that nothing was sent', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    room.service.answer = async () => {
      throw notSent('rate_limited', 'too many mails')
    }
    await expect(outgoing.send(keyed)).rejects.toMatchObject({ code: 'rate_limited' })
    room.service.answer = async () => room.service.receipt()
    expect(await outgoing.send(keyed)).toMatchObject({ status: 'sent' })
    expect(room.service.taken.length).toBe(2)
  })

  it.each([
    ['the service was unclear', async () => Promise.reject(unclear('the reply was lost'))],
    ['the service failed unexpectedly', async () => Promise.reject(new Error('socket hang up'))],
    ['the service never answered', () => new Promise<never>(() => {})],
  ])('never sends again when %s', async (_, answer) => {
    const room = new MailRoom({ AGENTMAIL_SEND_TIMEOUT_SECONDS: '0.2' })
    const outgoing = await room.open()
    room.service.answer = answer
    for (let tries = 0; tries < 3; tries++) {
      await expect(outgoing.send(keyed)).rejects.toMatchObject(unknown)
    }
    expect(room.service.taken.length).toBe(1)
  })

  it('may be used again where the time was up before anything was sent', async () => {
    const room = new MailRoom({ AGENTMAIL_SEND_TIMEOUT_SECONDS: '0.2' })
    const outgoing = await room.open()
    room.service.answer = (_, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(notSent('send_failed', 'not begun'))),
      )
    await expect(outgoing.send(keyed)).rejects.toMatchObject({ details: { outcome: 'not_sent' } })
    room.service.answer = async () => room.service.receipt()
    expect(await outgoing.send(keyed)).toMatchObject({ status: 'sent' })
  })

  it('is told as unclear, and never as not sent, while the ledger cannot be written', async () => {
    const { room, outgoing } = await withLostReply()
    const database = await openSqlite(join(room.env.XDG_STATE_HOME ?? '', 'agentmail/mail.db'))
    room.service.find = async () => {
      await database.define(['DROP TABLE sends'], async () => {})
      return receipt
    }
    expect(await outgoing.send(keyed)).toEqual({ status: 'sent', receipt })
    await database.close()
  })

  it('is settled by the service where that has the mail', async () => {
    const { room, outgoing } = await withLostReply()
    room.service.find = async ({ key }) =>
      key === room.service.taken[0]?.key ? receipt : undefined
    expect(await outgoing.send(keyed)).toEqual({ status: 'sent', receipt })
    expect(room.service.taken.length).toBe(1)
  })

  it('goes with the mail, and a mail without one carries none', async () => {
    const room = new MailRoom()
    const outgoing = await room.open()
    await outgoing.send(keyed)
    await outgoing.send(aMail)
    expect(room.service.taken.map(({ key }) => typeof key)).toEqual(['string', 'undefined'])
    expect(room.service.taken[0]?.key).not.toContain('draft-1')
  })
})
