/** Every view of the page in a real browser, with a day of agents on it: what is there, at both sizes, for everybody. */
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { narrow, settled, sharedBrowser, wide } from '../../support/page/browser.ts'
import { type Demo, startDemo } from '../../support/page/demo.ts'
import { barriers, beyondEdge } from '../../support/page/screen.ts'
import { describeWith } from '../../support/parts.ts'

const views = ['needs', 'agents', 'messages', 'files', 'timeline', 'approvals', 'mail', 'setup']

describeWith('chromium', 'every view of the page', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let demo: Demo
  beforeAll(async () => {
    demo = await startDemo(atEnd)
  })

  const screens = [
    ['wide, by day', wide, 'light'],
    ['wide, by night', wide, 'dark'],
    ['narrow, by day', narrow, 'light'],
    ['narrow, by night', narrow, 'dark'],
  ] as const

  it.each(screens)(
    'has no barrier, no fault and nothing beyond the edge: %s',
    async (_, viewport, colorScheme) => {
      const { page, faults } = await browser.open(`${demo.url}/`, { viewport, colorScheme })
      const wrong: string[] = []
      for (const project of ['*', 'shop']) {
        for (const view of views) {
          await page.goto(`${demo.url}/#/${project}/${view}`)
          await settled(page)
          const at = `${project}/${view}: `
          const found = [...(await barriers(page)), ...(await beyondEdge(page))]
          wrong.push(...found.map((one) => at + one))
        }
      }
      expect([...wrong, ...faults]).toEqual([])
    },
    240_000,
  )

  it('would be found out by a picture without words, grey on grey, or a line that is too long (control)', async () => {
    const { page } = await browser.open(`${demo.url}/`, { viewport: narrow })
    await settled(page)
    expect([...(await barriers(page)), ...(await beyondEdge(page))]).toEqual([])
    await page.evaluate(`(() => {
      const card = document.querySelector('main .card')
      card.append(document.createElement('img'), document.createElement('button'))
      card.querySelector('h2 a').style.color = '#ddd'
      card.style.width = '500px'
    })()`)
    const found = (await barriers(page)).map((one) => one.split(':')[0])
    expect(found.sort()).toEqual([
      ...['critical button-name', 'critical image-alt', 'serious color-contrast'],
    ])
    expect(await beyondEdge(page)).toContainEqual(expect.stringContaining('goes on sideways'))
  })
})
