/** The login in a real browser: a link into the page survives it, and whoever is logged in is let in from anywhere. */
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { describeWith, pathOf } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

const token = 'two words & <more>'
const env = { AGENTMAIL_TOKEN: token }
const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

async function openPage(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const browser = await chromium.launch({ executablePath: pathOf('chromium'), args })
  onTestFinished(() => browser.close())
  return (await browser.newContext(options)).newPage()
}

async function logIn(page: Page, given: string): Promise<void> {
  await page.getByLabel('Token').fill(given)
  await page.getByLabel('Your name').fill('Ann')
  await page.getByRole('button', { name: 'Log in' }).click()
}

const who = (page: Page): Promise<unknown> =>
  page.evaluate("fetch('/api/page').then((answer) => answer.json()).then((boot) => boot.who)")

describeWith('chromium', 'the login in a browser', () => {
  it('keeps the view that a link asked for, over a wrong try too', async () => {
    const { url } = await TestServer.start({ env })
    const page = await openPage()
    const faults: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(message.text())
    })
    page.on('pageerror', ({ message }) => faults.push(message))
    await page.goto(`${url}/#/shop/messages/1`)
    await page.waitForURL(`${url}/login#/shop/messages/1`)
    await logIn(page, 'wrong')
    await page.getByRole('alert').waitFor()
    await logIn(page, token)
    await page.waitForURL(`${url}/#/shop/messages/1`)
    expect(await who(page)).toBe('Ann')
    expect(faults).toEqual([])
  })

  it('is passed over by whoever is in and follows a link on another site', async () => {
    const { url } = await TestServer.start({ env })
    const { url: elsewhere } = await TestServer.start()
    const page = await openPage()
    await page.goto(url)
    await page.waitForURL(`${url}/login`)
    await logIn(page, token)
    await page.waitForURL(`${url}/`)
    const statuses: number[] = []
    page.on('response', (response) => {
      if (response.url().split('#')[0] === `${url}/`) statuses.push(response.status())
    })
    await page.goto(`${elsewhere.replace('127.0.0.1', 'localhost')}/health`)
    await page.evaluate(`location.href = ${JSON.stringify(`${url}/#/shop/messages/2`)}`)
    await expect.poll(() => statuses, { timeout: 30_000 }).toEqual([401, 200])
    await page.waitForURL(`${url}/#/shop/messages/2`)
    expect(await who(page)).toBe('Ann')
  })

  it('can be read and filled in by everybody, in light and dark', async () => {
    const { url } = await TestServer.start({ env })
    const page = await openPage()
    await page.goto(`${url}/login`)
    await logIn(page, 'wrong')
    await page.getByRole('alert').waitFor()
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const found = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      )
      expect({ colorScheme, found }).toEqual({ colorScheme, found: [] })
    }
  })

  it('works without scripts', async () => {
    const { url } = await TestServer.start({ env })
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(url)
    await logIn(page, 'wrong')
    await page.getByRole('alert').waitFor()
    await logIn(page, token)
    await page.waitForURL(`${url}/`)
    expect(await page.title()).toBe('AgentMail')
  })
})
