/** The page of a server to which nobody has come yet: every view says so, and what to try next. */
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { narrow, settled, sharedBrowser, wide } from '../../support/page/browser.ts'
import { barriers, beyondEdge } from '../../support/page/screen.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

/** What is said where nothing is, and what comes next: words or a link. */
const words: Record<string, [said: string, next: string | RegExp]> = {
  needs: ['Nothing needs you.', 'connect a client or send a test message'],
  agents: ['Nobody is here yet.', 'Connect a client'],
  messages: ['No messages here yet.', 'Connect a client'],
  files: ['Nobody holds a file.', 'Connect a client'],
  timeline: ['Nothing happened in this time.', 'Connect a client'],
  approvals: ['Nothing waits for your word.', 'set VAULT_PATH'],
  mail: ['No mail yet.', 'set VAULT_PATH'],
  setup: ['All clients at once', 'agentmail setup'],
  search: ['What are you looking for?', 'Every word must occur'],
}

describeWith('chromium', 'the page of a server where nothing is yet', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let server: TestServer
  beforeAll(async () => {
    server = await TestServer.start({ env: { VAULT_PATH: undefined } }, atEnd)
  })

  const sizes = [
    ['wide', wide],
    ['narrow', narrow],
  ] as const

  it.each(sizes)('says so on every view, and what to try next: %s', async (_, viewport) => {
    const { page, faults } = await browser.open(`${server.url}/`, { viewport })
    const wrong: string[] = []
    for (const [view, [said, next]] of Object.entries(words)) {
      await page.goto(`${server.url}/#/*/${view}`)
      await settled(page)
      const shown = await page.locator('main').innerText()
      if (!shown.includes(said)) wrong.push(`${view} does not say: ${said}`)
      if (!shown.includes(String(next))) wrong.push(`${view} does not say what is next: ${next}`)
      const found = [...(await barriers(page)), ...(await beyondEdge(page))]
      wrong.push(...found.map((one) => `${view}: ${one}`))
    }
    expect([...wrong, ...faults]).toEqual([])
  })

  it('leads from nothing to the first message', async () => {
    const { page, faults } = await browser.open(`${server.url}/`)
    await page.getByRole('link', { name: 'connect a client or send a test message' }).click()
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.locator('nav .count', { hasText: '1' }).waitFor()
    await page.getByRole('link', { name: /Needs you/ }).click()
    await page.locator('.need.message').waitFor()
    expect(await page.locator('.need').count()).toBe(1)
    expect(await page.title()).toMatch(/^\(1\) Needs you/)
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('Nothing needs you.').waitFor()
    expect(await page.title()).toMatch(/^Needs you/)
    expect(faults).toEqual([])
  })
})
