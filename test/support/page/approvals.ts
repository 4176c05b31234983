/** A person at the approvals of the page: a browser at a server with a vault, and what stands on its screen. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { PageDesk } from '../server/page-desk.ts'
import type { Opened, sharedBrowser } from './browser.ts'

/** The machine may be busy with other things. */
export const patience = { timeout: 30_000 }

/** @param path of the one note that is looked at; without it, all that waits. */
export const approvalsAddress = (url: string, path = ''): string =>
  `${url}/#/*/approvals${path === '' ? '' : `/${path}`}`

export async function openApprovals(
  browser: ReturnType<typeof sharedBrowser>,
  { server }: PageDesk,
  path = '',
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const opened = await browser.open(approvalsAddress(server.url, path), options)
  await opened.page.locator('.connection.live').waitFor()
  return opened
}

/** One that never hears of what happens: its stream of events breaks off again and again. */
export async function openDeaf(
  browser: ReturnType<typeof sharedBrowser>,
  { server }: PageDesk,
  path = '',
): Promise<Page> {
  const { page } = await browser.open('about:blank')
  await page.route('**/api/page/events*', (route) => route.abort())
  await page.goto(approvalsAddress(server.url, path))
  return page
}

/** The card of a note, once it shows something. */
export async function cardOf(page: Page, path: string): Promise<Locator> {
  const card = page.locator('main li.card').filter({ hasText: path })
  await card.waitFor(patience)
  return card
}

export const button = (place: Page | Locator, name: string | RegExp): Locator =>
  place.getByRole('button', { name, exact: typeof name === 'string' })

export const press = (place: Page | Locator, name: string | RegExp): Promise<void> =>
  button(place, name).click(patience)

/** What a part of the screen says, with the line breaks of a text as they are. */
export const textIn = async (place: Locator, label: string): Promise<string> =>
  (await place.getByLabel(label, { exact: true }).locator('pre').textContent(patience)) ?? ''

/** Waits for words in one of the short notices, and takes it away. */
export async function said(page: Page, words: string | RegExp): Promise<string> {
  const toast = page.locator('.toast').filter({ hasText: words }).first()
  const text = (await toast.textContent(patience)) ?? ''
  await toast.getByRole('button', { name: 'Dismiss' }).click(patience)
  return text.replace(/×$/, '')
}

/** The fields of a card that are no text of many lines, by their names. */
export async function fieldsOf(card: Locator): Promise<Record<string, string>> {
  const list = card.locator('dl.fields').first()
  const [names, values] = await Promise.all([
    list.locator('dt').allTextContents(),
    list.locator('dd').allTextContents(),
  ])
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

export async function gone(card: Locator): Promise<void> {
  await expect.poll(() => card.count(), patience).toBe(0)
}
