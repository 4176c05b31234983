/** Every view of the page in a real browser, with a day of agents on it: what is there, at both sizes, for everybody. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../../support/at-end.ts'
import { narrow, settled, sharedBrowser, wide } from '../../support/page/browser.ts'
import { type Demo, startDemo } from '../../support/page/demo.ts'
import { describeWith } from '../../support/parts.ts'

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullish(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
})

const views = ['needs', 'agents', 'messages', 'files', 'timeline', 'approvals', 'mail', 'setup']

/** What a screen reader or a keyboard would stumble over. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const run = 'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })'
  const { violations } = violationsSchema.parse(await page.evaluate(run))
  return violations.map(({ id, impact, nodes }) => {
    const places = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))
    return `${impact} ${id}: ${places.join(' ')}`
  })
}

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
          wrong.push(...(await barriers(page)).map((one) => at + one))
          const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          if (Number(beyond) > 0) wrong.push(`${at}${beyond} pixels beyond the edge`)
        }
      }
      expect([...wrong, ...faults]).toEqual([])
    },
    240_000,
  )
})
