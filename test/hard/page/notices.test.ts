/** Where the person does not look: the title counts what needs them, and the browser tells of what is new. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../../support/at-end.ts'
import { settled, sharedBrowser, soon } from '../../support/page/browser.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

/** A browser without a screen shows none: what it would have shown is kept. */
const kept = `globalThis.Notification = class Kept extends EventTarget {
  static all = []
  static permission = 'PERMISSION'
  static requestPermission = async () => Kept.permission
  constructor(title, { body, tag } = {}) {
    super()
    Kept.all.push({ title, body, tag })
    Kept.last = this
  }
  close() {}
}`

const noticesSchema = z.array(z.object({ title: z.string(), body: z.string(), tag: z.string() }))

describeWith('chromium', 'a notice of the browser', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let server: TestServer
  let agent_id: string
  beforeAll(async () => {
    server = await TestServer.start({ env: { AGENTMAIL_STALE_SECONDS: '1000000' } }, atEnd)
    agent_id = await server.register('ann')
  })

  const ask = async (subject: string) => {
    const { isError } = await server.call('send_message', {
      ...{ agent_id, channel: '@human', subject, body: `${subject}\nplease` },
    })
    expect(isError).not.toBe(true)
  }
  const notices = async (page: Page) => noticesSchema.parse(await page.evaluate('Notification.all'))

  async function opened(permission: 'granted' | 'denied') {
    const { page, faults } = await browser.open('about:blank')
    await page.addInitScript(kept.replace('PERMISSION', permission))
    await page.goto(`${server.url}/#/*/setup`)
    await settled(page)
    return { page, faults }
  }

  /** As when another window or another page is in front. */
  async function lookAway(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setFocusEmulationEnabled', { enabled: false })
    const other = await page.context().newPage()
    await other.bringToFront()
    await soon(() => page.evaluate('document.hidden || !document.hasFocus()')).toBe(true)
  }

  it('tells of what is new while nobody looks, and leads to it', async () => {
    const { page, faults } = await opened('granted')
    const wish = page.getByRole('checkbox', { name: /^Notices of the browser/ })
    await wish.check()
    await ask('while looking')
    await page.locator('nav .count', { hasText: '1' }).waitFor()
    expect(await page.title()).toMatch(/^\(1\) Set up/)
    expect(await notices(page)).toEqual([])
    await lookAway(page)
    await ask('while away\u202e')
    await soon(() => notices(page)).toMatchObject([
      { title: 'while away⟨U+202E⟩', body: expect.stringContaining('please') },
    ])
    await soon(() => page.title()).toMatch(/^\(2\) Set up/)
    await page.evaluate('Notification.last.onclick()')
    await page.locator('.letter h2', { hasText: 'while away' }).waitFor()
    for (const number of [1, 2, 3, 4, 5, 6]) await ask(`one of many ${number}`)
    await soon(() => page.title()).toMatch(/^\(8\) Messages/)
    const told = await notices(page)
    expect(new Set(told.map(({ tag }) => tag)).size).toBe(told.length)
    expect(faults).toEqual([])
  })

  it('is none where it is not allowed, and nothing fails', async () => {
    const { page, faults } = await opened('denied')
    const wish = page.getByRole('checkbox', { name: /^Notices of the browser/ })
    await wish.click()
    await soon(() => wish.isChecked()).toBe(false)
    await page.locator('.toast', { hasText: 'does not allow' }).waitFor()
    await lookAway(page)
    const before = await page.title()
    await ask('not allowed')
    await soon(() => page.title()).not.toBe(before)
    expect(await notices(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it('is none where the browser knows none, and nothing fails', async () => {
    const { page, faults } = await browser.open('about:blank')
    await page.addInitScript('delete globalThis.Notification')
    await page.goto(`${server.url}/#/*/setup`)
    await settled(page)
    expect(await page.getByText('Notices of the browser').count()).toBe(0)
    const before = await page.title()
    await ask('unknown')
    await soon(() => page.title()).not.toBe(before)
    expect(faults).toEqual([])
  })
})
