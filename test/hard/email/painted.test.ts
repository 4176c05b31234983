/** What is told of a mail is what a real Chromium paints of it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isConsidered } from '../../../src/email/visible-text/css/properties.ts'
import { htmlToText } from '../../../src/email/visible-text/html-to-text.ts'
import { Chromium } from '../../support/email/browser/chromium.ts'
import { harmless } from '../../support/email/browser/harmless-properties.ts'
import { marker, painted } from '../../support/email/browser/painted.ts'
import { type CssWay, cssWays } from '../../support/email/css-ways.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { keptFolder } from '../../support/server-process.ts'

const isTold = ({ html }: CssWay) => htmlToText(html.replaceAll('SECRET', marker)).includes(marker)
const screens = [
  { width: 800, isDark: false },
  { width: 800, isDark: true },
  { width: 1280, isDark: false },
]

describeWith('chromium', 'a real Chromium', () => {
  let browser: Chromium
  beforeAll(async () => {
    browser = await Chromium.start(keptFolder('chromium'))
  })
  afterAll(() => browser.stop())

  /** The ways for which this does not hold, by name. */
  async function wrong(
    ways: CssWay[],
    screen: object,
    holds: (way: CssWay, isPainted: boolean) => boolean,
  ) {
    const seen = await painted(
      browser,
      ways.map(({ html }) => html),
      screen,
    )
    return ways.flatMap((way, at) => (holds(way, seen[at]?.isPainted ?? false) ? [] : [way.name]))
  }

  it('paints nothing of 600 ways to hide a text, and nothing of them is told', async () => {
    const ways = cssWays('hiding-pages')
    expect(ways.length).toBeGreaterThan(600)
    expect(ways.filter(isTold).map(({ name }) => name)).toEqual([])
    const tried = isLong ? ways : ways.filter((_, at) => at % 5 === 0)
    expect(await wrong(tried, {}, (_, isPainted) => !isPainted)).toEqual([])
  }, 300_000)

  it('paints 80 ordinary pages by day, by night and in a large window, and all of them are told', async () => {
    const ways = cssWays('ordinary-pages')
    expect(ways.length).toBeGreaterThan(80)
    expect(ways.filter((way) => !isTold(way)).map(({ name }) => name)).toEqual([])
    for (const screen of screens)
      expect(await wrong(ways, screen, (_, isPainted) => isPainted)).toEqual([])
  }, 300_000)

  it('paints whatever is told of pages that seem to hide a text', async () => {
    const all = [...cssWays('css-ways-shown'), ...cssWays('css-ways-hidden')].filter(isTold)
    const ways = isLong ? all : all.filter((_, at) => at % 6 === 0)
    expect(ways.length).toBeGreaterThan(70)
    for (const screen of isLong ? screens : screens.slice(0, 1))
      expect(await wrong(ways, screen, (_, isPainted) => isPainted)).toEqual([])
  }, 600_000)

  it('knows no property of CSS that nobody has thought of', async () => {
    const names = await browser.properties()
    expect(names.length).toBeGreaterThan(600)
    expect(names.filter((name) => !isConsidered(name) && !harmless.test(name))).toEqual([])
  })
})
