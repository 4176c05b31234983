/** How soon long lists are there, and how smoothly they are scrolled and unfolded. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { few, fullServer } from '../../support/page/full-server.ts'
import { framesOf, rowsOf, scrollTo, topOf } from '../../support/page/list-walk.ts'
import { describeWith } from '../../support/parts.ts'
import { at, upTo } from '../../support/store/databases.ts'

const mostRows = 100
const soon = { timeout: 30_000 }

describeWith('chromium', 'a long list', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let url = ''
  beforeAll(async () => {
    url = (await fullServer(atEnd)).server.url
  }, 120_000)

  const open = async (view: string) => {
    const opened = await browser.open(`${url}/#/default/${view}`)
    await settled(opened.page)
    await opened.page.locator('.rows li.line').first().waitFor(soon)
    return opened
  }

  it.each(['messages', 'agents', 'files'])(
    'of %s shows its beginning soon, and has few rows wherever it is scrolled to',
    async (view) => {
      const started = performance.now()
      const { page, faults } = await open(view)
      console.log(`${view} were there after ${Math.round(performance.now() - started)} ms`)
      for (const part of [0, 0.3, 0.9, 1, 0.5, 0]) {
        await scrollTo(page, `${part} * document.querySelector('.rows').scrollHeight`)
        await expect.poll(async () => (await rowsOf(page)).length, soon).toBeGreaterThan(5)
        expect((await rowsOf(page)).length).toBeLessThan(mostRows)
      }
      expect(faults).toEqual([])
    },
    60_000,
  )

  /** Of the frames that a plain page has in a second, in those of several in which the machine disturbed least. */
  const smoothness = async (page: Page): Promise<number> => {
    const plain = await page.context().newPage()
    await plain.setContent(
      '<div id="box" style="height:700px;overflow:auto"><div style="height:1000000px"></div></div>',
    )
    const parts: number[] = []
    for (const _ of upTo(5)) {
      await plain.bringToFront()
      const theirs = await framesOf(plain, '#box', 1000)
      await page.bringToFront()
      parts.push((await framesOf(page, '.rows', 1000)) / theirs)
    }
    parts.sort((one, other) => other - one)
    console.log(
      `frames over those of a plain page: ${parts.map((one) => one.toFixed(2)).join(' ')}`,
    )
    return at(parts, 1)
  }

  it('is scrolled in nine of ten frames that a plain page has', async () => {
    const { page } = await open('messages')
    expect(await smoothness(page)).toBeGreaterThan(0.9)
    expect(await topOf(page)).toBeGreaterThan(10_000)
  }, 60_000)

  it('would be seen to stutter where each step takes 25 ms more (control)', async () => {
    const { page } = await open('messages')
    await page.evaluate(`document.querySelector('.rows').addEventListener('scroll', () => {
      for (const start = performance.now(); performance.now() - start < 25; );
    })`)
    expect(await smoothness(page)).toBeLessThan(0.9)
  }, 60_000)

  it('of claims is folded by folders, and unfolds and folds at once', async () => {
    const { page, faults } = await open('files')
    const folders = page.locator('.rows button[aria-expanded]')
    await page.getByText(`${few.toLocaleString('en')} claims`).waitFor(soon)
    const part = page.getByRole('button', { name: /part-11\// })
    const inside = page.getByRole('link', { name: /file-111\.ts/ })
    const started = performance.now()
    await part.click()
    await inside.waitFor(soon)
    console.log(`a folder of 50 was unfolded in ${Math.round(performance.now() - started)} ms`)
    expect((await rowsOf(page)).length).toBeLessThan(mostRows)
    await part.click()
    await expect.poll(() => inside.count(), soon).toBe(0)
    await page.getByRole('button', { name: /^src\// }).click()
    await expect.poll(() => folders.count(), soon).toBe(1)
    await folders.click()
    await part.waitFor(soon)
    expect(faults).toEqual([])
  }, 60_000)
})
