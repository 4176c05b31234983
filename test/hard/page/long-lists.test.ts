/** Lists of a hundred thousand messages and five thousand agents: whole, in order, and as light as short ones. */
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { channelOf, few, fullServer, messages } from '../../support/page/full-server.ts'
import {
  firstSeen,
  rowsOf,
  scrollTo,
  topOf,
  walkList,
  weightOf,
} from '../../support/page/list-walk.ts'
import { describeWith } from '../../support/parts.ts'
import { upTo } from '../../support/store/databases.ts'

const scrolled = 20_000
const soon = { timeout: 30_000 }
/** Many rows at once, so that a walk has fewer steps. */
const tall = { viewport: { width: 1200, height: 3000 } }

/** The newest first. */
const idsWhere = (isOne: (n: number) => boolean): string[] =>
  upTo(messages).filter(isOne).reverse().map(String)

describeWith('chromium', 'a long list', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let asked = 0
  let full: Awaited<ReturnType<typeof fullServer>>
  beforeAll(async () => {
    full = await fullServer(atEnd)
  }, 120_000)

  const open = async (view: string) => {
    const opened = await browser.open(`${full.server.url}/#/default/${view}`, tall)
    await settled(opened.page)
    await opened.page.locator('.rows li.line').first().waitFor(soon)
    return opened
  }

  it('has each message once on the way down and up again, and forgets what is far away', async () => {
    const { page, faults } = await open('messages')
    // A choice of every agent, which weighs more than the list.
    await expect.poll(() => page.locator('option').count(), soon).toBeGreaterThan(few)
    const all = idsWhere(() => true)
    const down = await walkList(page, { count: few })
    const weights = [await weightOf(page)]
    down.push(...(await walkList(page, { count: scrolled - few, known: down })))
    weights.push(await weightOf(page))
    expect(down).toEqual(all.slice(0, scrolled))
    await expect.poll(async () => (await rowsOf(page)).includes(null), soon).toBe(false)
    const depth = all.indexOf((await rowsOf(page)).at(-1) ?? '') + 1
    const up = await walkList(page, { count: depth, isUp: true })
    expect(up).toEqual(all.slice(0, depth).reverse())
    weights.push(await weightOf(page))
    const told = weights.map(({ heap, nodes }) => `${heap.toFixed(1)} MiB, ${nodes} elements`)
    console.log(`after ${few}, after ${scrolled}, and at the top again: ${told.join('; ')}`)
    for (const { heap, nodes } of weights) {
      expect(heap).toBeLessThan((weights[0]?.heap ?? 0) * 1.2)
      expect(nodes).toBeLessThan(6000)
    }
    expect(faults).toEqual([])
  }, 180_000)

  it.each([
    ['channel=builds', (n: number) => channelOf(n) === 'builds'],
    ['agent=name+8', (n: number) => n % 50 === 7 || channelOf(n) === '@name 8'],
    ['kind=direct', (n: number) => channelOf(n).startsWith('@')],
  ])(
    'is filtered by %s as soon, and whole',
    async (query, isOne) => {
      const { page } = await open(`messages?${query}`)
      const count = 1500
      expect(await walkList(page, { count })).toEqual(idsWhere(isOne).slice(0, count))
    },
    60_000,
  )

  it.each([
    ['near its beginning', 5000, true],
    ['where the newest were let go', 250_000, false],
  ])(
    'stays where it is when messages come while one reads %s',
    async (_, depth, isWhole) => {
      const { page } = await open('messages')
      for (let top = 0; top < depth; top = await topOf(page)) {
        await scrollTo(page, Math.min(depth, top + 9000) + 17)
        await expect.poll(async () => (await rowsOf(page)).includes(null), soon).toBe(false)
      }
      const size = async () =>
        Number(await page.locator('.rows li.line').last().getAttribute('aria-setsize'))
      const [before, length] = [await firstSeen(page), await size()]
      const { server, writer: agent_id } = full
      const say = (subject: string) => server.call('send_message', { agent_id, subject, body: 'b' })
      for (const n of upTo(30)) await say(`late ${n}`)
      // The list was asked for before what needs the person is known.
      await server.call('send_message', { agent_id, channel: '@human', subject: 's', body: 'b' })
      await expect.poll(() => page.title(), soon).toMatch(new RegExp(`^\\(${++asked}\\)`))
      if (isWhole) await expect.poll(async () => ((await size()) - length) % 200, soon).toBe(31)
      expect(await firstSeen(page)).toEqual(before)
      await say(`last of ${depth}`)
      await scrollTo(page, 0)
      await page.getByText(`last of ${depth}`).waitFor(soon)
    },
    60_000,
  )

  it('of agents has each of five thousand once', async () => {
    const { page } = await open('agents')
    const names = await walkList(page, { count: few + 1 })
    expect(new Set(names).size).toBe(few + 1)
  }, 60_000)
})
