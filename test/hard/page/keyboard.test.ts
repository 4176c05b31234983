/** The page by keyboard alone: every key does what the sheet says, none does anything in a field, and the focus is never lost. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../../support/at-end.ts'
import { settled, sharedBrowser, soon } from '../../support/page/browser.ts'
import { type Demo, startDemo } from '../../support/page/demo.ts'
import { describeWith } from '../../support/parts.ts'

describeWith('chromium', 'the keyboard', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let demo: Demo
  beforeAll(async () => {
    demo = await startDemo(atEnd)
  })

  async function opened(place: string): Promise<{ page: Page; faults: string[] }> {
    const { page, faults } = await browser.open(`${demo.url}/#/${place}`)
    await settled(page)
    await page.locator('main [data-item]').first().waitFor()
    return { page, faults }
  }

  const text = async (page: Page, script: string) => String(await page.evaluate(script))
  const focused = (page: Page) => text(page, 'document.activeElement.textContent')
  const view = async (page: Page) => text(page, 'location.hash')
  const nothing = (page: Page) => text(page, 'document.activeElement === document.body')
  /** Whether one sees where one is. */
  const ring = async (page: Page) =>
    z.object({ style: z.string(), width: z.string() }).parse(
      await page.evaluate(`(() => {
          const { outlineStyle: style, outlineWidth: width } = getComputedStyle(document.activeElement)
          return { style, width }
        })()`),
    )

  async function press(page: Page, ...keys: string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key)
  }

  it('goes to every view by g and a letter', async () => {
    const { page, faults } = await opened('shop/needs')
    const views = ['agents', 'messages', 'files', 'timeline', 'approvals', 'mail', 'setup', 'needs']
    for (const [index, key] of [...'amftpesn'].entries()) {
      await press(page, 'g', key)
      await soon(() => view(page)).toBe(`#/shop/${views[index]}`)
      await page.locator('main h1').waitFor()
    }
    expect(faults).toEqual([])
  })

  it('walks through a list by j and k, shows where one is, and opens by Enter', async () => {
    const { page } = await opened('shop/messages')
    const rows = await page.locator('.line.message a').allTextContents()
    await press(page, 'j')
    expect(await focused(page)).toBe(rows[0])
    expect(await ring(page)).toEqual({ style: 'solid', width: '2px' })
    await press(page, 'j', 'j', 'k')
    expect(await focused(page)).toBe(rows[1])
    await press(page, 'Enter')
    await page.locator('.letter h2').waitFor()
    const first = await view(page)
    expect(first).toMatch(/^#\/shop\/messages\/./)
    await press(page, 'j', 'Enter')
    await soon(() => view(page)).not.toBe(first)
    await press(page, 'Escape')
    await soon(() => view(page)).toBe('#/shop/messages')
    for (let row = 0; row < 60; row++) await press(page, 'j')
    expect(await focused(page)).not.toBe('')
    const isSeen = `(() => {
      const { top, bottom } = document.activeElement.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })()`
    await soon(() => page.evaluate(isSeen)).toBe(true)
  })

  it('opens what needs the person by Enter, and goes back by Escape', async () => {
    const { page } = await opened('*/needs')
    await press(page, 'j', 'Enter')
    await soon(() => view(page)).toMatch(/^#\/\*\/approvals\/Drafts\//)
    await press(page, 'Escape')
    await soon(() => view(page)).toBe('#/*/approvals')
    await press(page, 'g', 'e')
    await page.locator('.card.mail').first().waitFor()
    await press(page, 'j', 'Enter')
    await page.locator('.card.mail .fields').waitFor()
  })

  it('answers by r, and the focus stays at the card when it is done, then goes to its neighbour', async () => {
    const { page, faults } = await opened('*/needs')
    const cards = page.locator('.need')
    const before = await cards.count()
    const asks = cards.filter({ hasText: 'Should codes be told apart by case?' })
    await asks.focus()
    await press(page, 'r')
    await page.locator('.compose textarea').waitFor()
    expect(await text(page, 'document.activeElement.tagName')).toBe('TEXTAREA')
    // Nothing that is typed is a key.
    await page.keyboard.type('jk ga gm / ? x a r e')
    expect(await page.locator('.compose textarea').inputValue()).toBe('jk ga gm / ? x a r e')
    expect(await view(page)).toBe('#/*/needs')
    expect(await page.locator('dialog').count()).toBe(0)
    await press(page, 'Escape')
    expect(await focused(page)).toContain('Should codes be told apart by case?')
    await page.locator('.compose textarea').fill('By case, please.')
    await page.locator('.compose textarea').press('Control+Enter')
    await soon(() => cards.count()).toBe(before - 1)
    await soon(() => nothing(page)).toBe('false')
    expect(await text(page, 'document.activeElement.className')).toContain('card need')
    expect(faults).toEqual([])
  })

  it('selects by x, edits by e, rejects by r and approves by a; the focus goes to the next draft', async () => {
    const { page, faults } = await opened('*/approvals')
    const drafts = page.locator('.card.draft')
    await soon(() => page.locator('.card.draft .actions').count()).toBe(4)
    const draft = drafts.filter({ hasText: 'jane@customer.example' })
    await draft.focus()
    await press(page, 'x')
    await page.getByRole('region', { name: 'Selected drafts' }).waitFor()
    await draft.focus()
    await press(page, 'x')
    await soon(() => page.locator('.bar').count()).toBe(0)
    await draft.focus()
    await press(page, 'e')
    await draft.getByLabel('subject').waitFor()
    await draft.focus()
    await press(page, 'r')
    await draft.getByLabel('Why').waitFor()
    expect(await text(page, 'document.activeElement.tagName')).toBe('INPUT')
    await page.keyboard.type('a reason')
    await press(page, 'Escape')
    expect(await focused(page)).toContain('jane@customer.example')
    // Nothing is decided in the moment in which something has moved.
    await soon(() => draft.locator('[data-key="a"]').getAttribute('aria-disabled')).toBe('false')
    await press(page, 'a')
    await page.locator('.toast', { hasText: 'Approved' }).waitFor()
    await soon(() => drafts.count()).toBe(3)
    await soon(() => nothing(page)).toBe('false')
    expect(await text(page, 'document.activeElement.className')).toContain('card draft')
    expect(faults).toEqual([])
  })

  it('searches by /, goes anywhere by Ctrl-K, and shows its keys by ?', async () => {
    const { page } = await opened('shop/agents')
    await press(page, '/')
    await page.keyboard.type('midnight')
    await press(page, 'Enter')
    await soon(() => view(page)).toBe('#/shop/search?q=midnight')
    await page.locator('.card a[data-item]').first().waitFor()
    await press(page, 'Escape', '?')
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    for (const word of ['Needs you', 'search', 'go anywhere', 'edit it'])
      expect(await sheet.innerText()).toContain(word)
    await press(page, 'g', 'a', 'Escape')
    await soon(() => sheet.count()).toBe(0)
    expect(await view(page)).toContain('/search')
    await press(page, 'Control+k')
    await page.keyboard.type('something')
    await press(page, 'Escape')
    await soon(() => page.locator('dialog').count()).toBe(0)
    await press(page, 'Control+k')
    await page.keyboard.type('reviewer shop')
    await press(page, 'Enter')
    await soon(() => view(page)).toBe('#/shop/agents/reviewer')
    await press(page, 'Control+k')
    await page.keyboard.type('time line')
    await press(page, 'ArrowDown', 'ArrowUp', 'Enter')
    await soon(() => view(page)).toBe('#/shop/timeline')
    await soon(() => page.locator('dialog').count()).toBe(0)
  })

  it('does nothing behind a question that wants an answer', async () => {
    const { page } = await opened('shop/agents/docs')
    await page.getByRole('button', { name: 'Release…' }).first().press('Enter')
    const question = page.getByRole('dialog', { name: 'Release what docs holds?' })
    await question.waitFor()
    await press(page, 'g', 'n', 'j', 'r', '/')
    expect(await view(page)).toBe('#/shop/agents/docs')
    await press(page, 'Escape')
    await soon(() => question.count()).toBe(0)
    expect(await focused(page)).toBe('Release…')
  })

  it.each(['in Set up', 'on the sheet'])('can do without single keys: %s', async (where) => {
    const { page } = await opened('shop/messages')
    if (where === 'in Set up') await press(page, 'g', 's')
    else await press(page, '?')
    const wish = page.getByRole('checkbox', { name: /^Single keys do things/ })
    await wish.press('Space')
    expect(await wish.isChecked()).toBe(false)
    await page.goto(`${demo.url}/#/shop/messages`)
    await page.reload()
    await settled(page)
    await page.locator('main [data-item]').first().waitFor()
    await press(page, 'j', 'g', 'a', '/', '?', 'r')
    expect(await nothing(page)).toBe('true')
    expect(await view(page)).toBe('#/shop/messages')
    expect(await page.locator('dialog').count()).toBe(0)
    await press(page, 'Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
  })

  it('reaches everything by Tab, and shows where it is', async () => {
    const { page } = await opened('*/needs')
    const wanted = Number(
      await page.evaluate(
        `[...document.querySelectorAll('a[href], button, input, select')].filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length`,
      ),
    )
    const met = new Set<string>()
    const unmarked: string[] = []
    for (let step = 0; step < wanted + 3; step++) {
      await press(page, 'Tab')
      if ((await nothing(page)) === 'true') break
      met.add(await text(page, `(document.activeElement.dataset.met ??= String(Math.random()))`))
      const { style } = await ring(page)
      if (style === 'none') unmarked.push(await text(page, 'document.activeElement.outerHTML'))
    }
    expect(unmarked).toEqual([])
    expect(met.size).toBe(wanted)
    await page.reload()
    await page.locator('.skip').waitFor({ state: 'attached' })
    await press(page, 'Tab', 'Enter')
    expect(await text(page, 'document.activeElement.id')).toBe('main')
  })
})
