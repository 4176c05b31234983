/** A real Chromium that a person sits at: one for all the tests of a block, each with a page of its own. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { afterAllTests } from '../at-end.ts'
import { pathOf } from '../parts.ts'

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 390, height: 844 }

/** What went wrong on a page, as the browser tells it. */
export interface Opened {
  page: Page
  faults: string[]
}

/** @param more arguments of Chromium's own. */
export function sharedBrowser(more: string[] = []): {
  open(address: string, options?: BrowserContextOptions): Promise<Opened>
} {
  const atEnd = afterAllTests()
  let browser: Browser | undefined
  beforeAll(async () => {
    const started = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: [...args, ...more],
    })
    browser = started
    atEnd(() => void started.close())
  })
  return {
    async open(address, options = {}) {
      const context = await browser?.newContext({ viewport: wide, ...options })
      const page = await context?.newPage()
      if (!context || !page) throw new Error('The browser is started before the tests')
      onTestFinished(() => context.close())
      const faults: string[] = []
      page.on('pageerror', ({ message }) => faults.push(message))
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text())
      })
      await page.goto(address)
      return { page, faults }
    },
  }
}

/** What a page shows a moment later, on a machine that may be busy. */
export const soon = <T>(look: () => T | Promise<T>) => expect.poll(look, { timeout: 30_000 })

/** Waits until the page hears of what happens, and shows the view with what belongs there. */
export async function settled(page: Page): Promise<void> {
  // What another address asks for is drawn a moment later.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
  await page.locator('.connection.live').waitFor()
  await soon(() => page.locator('.loading').count()).toBe(0)
}
