/** What is wrong with what is on the screen: barriers, what lies beyond the edge, what ran that is not the page's own. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import * as z from 'zod'

const violationsSchema = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullish(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
})

/** What a screen reader or a keyboard would stumble over. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const run = 'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })'
  const { violations } = violationsSchema.parse(await page.evaluate(run))
  return violations.map(({ id, impact, nodes }) => {
    const places = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))
    return `${impact} ${id}: ${places.join(' ')}`
  })
}

/** Only the views and the matrix are made to be pushed sideways. */
const pushed = 'nav, .scroll'

/** What can be reached by nothing but pushing the whole screen sideways, or by nothing at all. */
const beyond = `(() => {
  const name = (one) => one.outerHTML.slice(0, 120)
  const wrong = []
  for (const one of [document.documentElement, ...document.querySelectorAll('body *')]) {
    if (one.closest(${JSON.stringify(pushed)})) continue
    const isBox = one === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)
    const over = one.scrollWidth - one.clientWidth
    if (isBox && one.clientWidth > 0 && over > 1) wrong.push('goes on sideways by ' + over + ' pixels: ' + name(one))
  }
  for (const one of document.querySelectorAll('a, button, input, select, textarea, h1, h2, h3')) {
    if (one.closest(${JSON.stringify(pushed)}) || one.matches('.skip')) continue
    const { left, right, width } = one.getBoundingClientRect()
    if (width === 0) continue
    if (left < -1 || right > innerWidth + 1) {
      let box = one.parentElement
      while (box && getComputedStyle(box).textOverflow !== 'ellipsis') box = box.parentElement
      const edge = box?.getBoundingClientRect()
      if (!edge || edge.right > innerWidth + 1) wrong.push('lies beyond the edge: ' + name(one))
    }
  }
  return wrong
})()`

export async function beyondEdge(page: Page): Promise<string[]> {
  return z.array(z.string()).parse(await page.evaluate(beyond))
}
