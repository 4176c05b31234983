/** A server that goes and comes back while a person is about to decide: it goes on where it was, or asks for the login, and nothing is done twice or lost. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  cardOf,
  openApprovals,
  openDeaf,
  patience,
  press,
  said,
} from '../../support/page/approvals.ts'
import { sharedBrowser } from '../../support/page/browser.ts'
import { describeWith } from '../../support/parts.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const token = 'the-token-of-the-restart'
const path = 'Drafts/a.md'

async function scene(env: Record<string, string> = {}): Promise<PageDesk> {
  const desk = await PageDesk.open([], env)
  const fields = { status: 'pending_approval', to: 'jane@example.com', subject: 'Hi' }
  desk.home.draft(path, fields)
  return desk
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Token').fill(token, patience)
  await page.getByLabel('Your name').fill('Zoë')
  await page.getByRole('button', { name: 'Log in' }).click()
}

describeWith('chromium', 'a server that was started anew', () => {
  const browser = sharedBrowser()

  it('is told again who one is, and approves once what was on the screen', async () => {
    const desk = await scene()
    const { page } = await openApprovals(browser, desk, path)
    await page.goto(`${desk.server.url}/#/*/setup`)
    await page.getByLabel(/your name/i).fill('Zoë')
    await page.keyboard.press('Enter')
    await said(page, 'Your name is changed.')
    await page.goto(`${desk.server.url}/#/*/approvals/${path}`)
    const card = await cardOf(page, path)
    const { home } = await desk.restart()
    await press(card, 'Approve')
    await said(page, 'Approved: Hi')
    expect(desk.verdicts()).toMatchObject([{ event: 'approved', by: 'Zoë' }])
    await page.locator('.connection.live').waitFor(patience)
    await home.once()
    expect(await home.sentSubjects()).toEqual(['Hi'])
  })

  it('that does not answer is spoken of, and a second click approves no second time', async () => {
    const desk = await scene()
    const page = await openDeaf(browser, desk, path)
    const card = await cardOf(page, path)
    await desk.server.stop()
    await page.getByText('no connection, trying again').waitFor(patience)
    await press(card, 'Approve')
    await said(page, 'The server does not answer, so nobody knows whether it was done.')
    const again = await desk.restart()
    // The answer to this one is lost on its way: it is approved, and nobody here knows.
    await page.route('**/api/page/approve', async (route) => {
      const response = await route.fetch()
      if (!response.ok()) return route.fulfill({ response })
      await page.unroute('**/api/page/approve')
      await route.abort()
    })
    await press(card, 'Approve')
    await said(page, 'The server does not answer, so nobody knows whether it was done.')
    expect(desk.verdicts()).toHaveLength(1)
    await press(card, 'Approve')
    await said(page, /^Was approved already, by .*: Hi/)
    expect(again.verdicts()).toHaveLength(1)
    await again.home.once()
    expect(await again.home.sentSubjects()).toEqual(['Hi'])
  })

  it('with a token asks for the login in words, and what was typed is there afterwards', async () => {
    const desk = await scene({ AGENTMAIL_TOKEN: token })
    const { page } = await browser.open(`${desk.server.url}/#/*/approvals/${path}`)
    await logIn(page)
    const card = await cardOf(page, path)
    await press(card, 'Edit')
    await card.getByLabel('text', { exact: true }).fill('What I have typed.\n')
    await desk.restart()
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor(patience)
    await page.getByText('What you have typed is kept').waitFor(patience)
    expect(await page.getByText('jane@example.com').first().isVisible()).toBe(false)
    expect(desk.verdicts()).toEqual([])
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Log in, in a new tab' }).click(),
    ])
    await logIn(tab)
    await cardOf(tab, path)
    await page.locator('.connection.live').waitFor(patience)
    expect(await card.getByLabel('text', { exact: true }).inputValue()).toBe('What I have typed.\n')
    await press(card, 'Save the draft')
    await said(page, 'Saved.')
    await press(card, 'Approve')
    await said(page, 'Approved: Hi')
    expect(desk.verdicts()).toMatchObject([{ event: 'approved', by: 'Zoë' }])
  })

  it('with a token approves nothing for whoever clicks before the login', async () => {
    const desk = await scene({ AGENTMAIL_TOKEN: token })
    const { page } = await browser.open('about:blank')
    await page.route('**/api/page/events*', (route) => route.abort())
    await page.goto(`${desk.server.url}/#/*/approvals/${path}`)
    await logIn(page)
    const card = await cardOf(page, path)
    // So that it is the click which finds out.
    await page.route('**/api/page', (route) => route.abort())
    await desk.restart()
    await page.unroute('**/api/page')
    await press(card, 'Approve').catch(() => {})
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor(patience)
    expect(desk.verdicts()).toEqual([])
  })
})
