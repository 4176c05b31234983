/** An orchestrator on a full disk: what cannot be recorded is not sent, and it goes on when there is room. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ended } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { canLimit, canMount, limitedProcess, smallDisk } from '../../support/full-disk.ts'
import { KilledHome } from '../../support/orchestrator/killed-home.ts'
import { FakeGmail } from '../../support/providers/fake-gmail.ts'

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
afterAll(() => fake.stop())

describe.runIf(process.platform === 'linux')('a full disk', () => {
  it.runIf(canMount()).each<[string, (vault: string) => KilledHome]>([
    ['our own mail server', (vault) => KilledHome.gmail(fake, {}, vault)],
    ['one that knows no keys', (vault) => KilledHome.files({ vault })],
  ])('with %s makes everything wait, and it goes on when there is room', async (_, open) => {
    const place = smallDisk()
    const home = open(place.folder)
    home.addMails()
    await home.once()
    await home.approve()
    place.fill(0)
    home.addMails()
    const { exitCode, stdout } = await home.once()
    expect(home.post.sent()).toEqual([])
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('disk is full')])
    place.free(0)
    const mended = await home.later()
    expect([mended.exitCode, mended.stderr]).toEqual([0, ''])
    expect(await home.check()).toEqual({ 'Question 001': 'sent' })
  })

  it.runIf(canLimit())('stops no orchestrator that is at work', async () => {
    const place = limitedProcess()
    const home = KilledHome.files()
    home.addMails()
    const child = home.start({ AGENTMAIL_POLL_SECONDS: '0.2' }, false)
    onTestFinished(() => void child.kill('SIGKILL'))
    const events: { event: string; text: string }[] = []
    createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)))
    child.stderr.resume()
    await eventually('its servers are at work', () =>
      events.some(({ event }) => event === 'drafted'),
    )
    place.fill(child.pid ?? 0)
    await home.approve()
    const blocked = await eventually('it says so', () =>
      events.find(({ event }) => event === 'blocked'),
    )
    expect(blocked.text).toContain('could not be written')
    expect(home.post.sent()).toEqual([])
    place.free(child.pid ?? 0)
    await eventually('it is sent', () => events.some(({ event }) => event === 'sent'))
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ exitCode: 0 })
    expect(await home.check()).toEqual({ 'Question 001': 'sent' })
    expect(events.filter(({ event }) => event === 'blocked').length).toBe(1)
  })
})

it('sends nothing where Logs leads elsewhere, and says so', async () => {
  const home = KilledHome.files()
  home.addMails()
  await home.once()
  await home.approve()
  const [logs, outside] = [join(home.vault, 'Logs'), join(home.home.folder, 'outside')]
  renameSync(logs, `${logs}-away`)
  mkdirSync(outside)
  symlinkSync(outside, logs)
  const { exitCode, stderr } = await home.once()
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('a link is not followed: Logs')])
  expect(home.post.sent()).toEqual([])
  rmSync(logs)
  renameSync(`${logs}-away`, logs)
  await home.once()
  expect(await home.check()).toEqual({ 'Question 001': 'sent' })
})
