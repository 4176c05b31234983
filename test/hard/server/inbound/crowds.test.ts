/** Mail that comes in by HTTP when there is no room for it: in memory, or on the disk. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  InboundPlace,
  inboundSecret,
  rawMail,
} from '../../../support/email/inbound/inbound-place.ts'
import { postmarkSample } from '../../../support/email/inbound/postmark-sample.ts'
import { canMount, smallDisk } from '../../../support/full-disk.ts'
import { errorIn } from '../../../support/server/http.ts'

vi.setConfig({ testTimeout: 120_000 })

const mebibyte = 1 << 20

describe('a body', () => {
  it('that comes while others fill the memory comes again later', async () => {
    const own = await InboundPlace.start()
    const open = () => {
      const socket = connect(Number(new URL(own.server.url).port), '127.0.0.1')
      onTestFinished(() => {
        socket.destroy()
      })
      const head = `POST /inbound/raw/${inboundSecret} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${25 * mebibyte}\r\nExpect: 100-continue\r\n\r\n`
      socket.write(head)
      return new Promise((resolve) => socket.once('data', () => resolve(socket.write('From: x'))))
    }
    await Promise.all([open(), open()])
    await expect
      .poll(async () => (await own.post(rawMail('crowded'))).status, { timeout: 10_000 })
      .toBe(503)
    const reply = await own.post(rawMail('crowded'))
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect((await own.post(rawMail('crowded'), { secret: 'wrong' })).status).toBe(403)
    expect(own.names()).toEqual([])
    // The two are slow, and let go; then there is room again.
    await expect
      .poll(async () => (await own.post(rawMail('crowded'))).status, {
        timeout: 60_000,
        interval: 1000,
      })
      .toBe(200)
    expect(own.names()).toHaveLength(1)
  })
})

describe.runIf(process.platform === 'linux' && canMount())('a full disk', () => {
  it('is told, holds nothing half, and what comes again is taken when there is room', async () => {
    const place = smallDisk()
    const own = await InboundPlace.start({ AGENTMAIL_MAIL_DIR: join(place.folder, 'mail') })
    const mailDir = join(place.folder, 'mail')
    Object.defineProperty(own, 'mailDir', { value: mailDir })
    expect((await own.post(rawMail('before'))).status).toBe(200)
    place.fill(0)
    for (const mail of [rawMail('full', 'x'.repeat(9000)), postmarkSample]) {
      const reply = await own.post(mail)
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
      expect(errorIn(reply).message).toContain('the disk is full')
    }
    expect(own.names()).toHaveLength(1)
    place.free(0)
    expect((await own.post(rawMail('full', 'x'.repeat(9000)))).status).toBe(200)
    expect((await own.post(postmarkSample)).status).toBe(200)
    expect(own.names()).toHaveLength(3)
  })
})
