/** What happens is on the screen at once, in every view, and nothing is missed while servers come and go. */
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { integer } from '../../../src/store/store.ts'
import { eventually } from '../../support/eventually.ts'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { rowsOf, walkList } from '../../support/page/list-walk.ts'
import { Writers } from '../../support/page/writers.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { freePort } from '../../support/server-process.ts'
import { upTo } from '../../support/store/databases.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

/** Far longer than it takes, for a machine that is busy. */
const soon = { timeout: 30_000 }
const restarts = 5

/** Whoever loads the page anew loses it. */
const mark = (page: Page) => page.evaluate('window.isTheSame = true')
const isTheSame = (page: Page) => page.evaluate('window.isTheSame === true')

/** Keeps what the badge of the connection has said, each time it says something else. */
const keepBadges = `new MutationObserver(() => {
  const state = document.querySelector('.connection')?.className.split(' ')[1]
  window.badges ??= []
  if (state && window.badges.at(-1) !== state) window.badges.push(state)
}).observe(document, { subtree: true, childList: true, attributes: true })`

const badgesOf = async (page: Page): Promise<string[]> =>
  z.array(z.string()).parse(await page.evaluate('window.badges ?? []'))

describeWith('chromium', 'a page that is open', () => {
  const browser = sharedBrowser()

  it('shows what happens in every view without being loaded again', async () => {
    const server = await TestServer.start()
    const ann = await server.register('ann')
    const open = async (view: string) => {
      const { page, faults } = await browser.open('about:blank')
      page.on('request', (request) => {
        if (!request.url().startsWith(`${server.url}/`)) faults.push(`asked ${request.url()}`)
      })
      // Nothing may wait for the page's own clock, which moves seldom.
      await page.addInitScript('window.setInterval = () => 0')
      await page.goto(`${server.url}/#/default/${view}`)
      await settled(page)
      await mark(page)
      return { page, faults }
    }
    const views = ['messages', 'agents', 'files', 'needs', 'timeline']
    const opened = await Promise.all(views.map(open))
    const [messages, agents, files, needs, timeline] = opened.map(({ page }) => page)
    if (!messages || !agents || !files || !needs || !timeline) throw new Error('No page')
    const says = (page: Page, text: string) => page.getByText(text).first().waitFor(soon)

    await server.register('bob', 'reviewer')
    await says(agents, 'reviewer')
    await says(timeline, 'bob')
    await server.call('claim_files', { agent_id: ann, files: ['src/parser.ts'] })
    await says(agents, 'src/parser.ts')
    await says(files, 'parser.ts')
    const moment = timeline.getByRole('region', { name: 'As it was' })
    await moment.getByText('src/parser.ts').waitFor(soon)
    const letter = { agent_id: ann, subject: 'Tea?', body: 'The kettle is on.' }
    await server.call('send_message', letter)
    await says(messages, 'Tea?')
    await says(agents, 'Tea?')
    await timeline
      .locator('path.dot[d*="M"]')
      .first()
      .waitFor({ state: 'attached', ...soon })
    await server.call('send_message', { ...letter, channel: '@human', subject: 'Which colour?' })
    await says(needs, 'Which colour?')
    for (const { page } of opened) {
      await expect.poll(() => page.title(), soon).toMatch(/^\(1\) /)
    }
    await server.call('announce_change', {
      ...{ agent_id: ann, file_path: 'src/parser.ts', summary: 'It reads comments.' },
    })
    await timeline
      .locator('path.tick[d*="M"]')
      .first()
      .waitFor({ state: 'attached', ...soon })
    await server.call('release_files', { agent_id: ann, files: ['src/parser.ts'] })
    await says(files, 'Nobody holds a file.')
    for (const { page, faults } of opened) {
      expect(await isTheSame(page)).toBe(true)
      expect(faults).toEqual([])
    }
  }, 120_000)

  it('shows nothing new where it hears of nothing (control)', async () => {
    const server = await TestServer.start()
    const ann = await server.register('ann')
    const { page } = await browser.open('about:blank')
    await page.route('**/api/page/events*', (route) => route.abort())
    await page.goto(`${server.url}/#/default/messages`)
    await page.locator('.connection.broken').waitFor()
    await page.getByText('No messages here yet.').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await server.call('send_message', { agent_id: ann, subject: 'Tea?', body: 'b' })
    await eventually('it has tried again', () => asked.length > 2)
    expect(await page.getByText('Tea?').count()).toBe(0)
  })

  it(`has every message once and in order after ${restarts} restarts under six writers`, async () => {
    const db = newPath()
    const args = ['--port', String(await freePort())]
    let server = await TestServer.start({ db, args })
    const { page } = await browser.open('about:blank')
    await page.addInitScript(keepBadges)
    await page.goto(`${server.url}/#/default/messages`)
    await settled(page)
    await mark(page)
    const writers = new Writers(server.url)
    const writing = writers.write(6)
    const broken = async () => (await badgesOf(page)).filter((state) => state === 'broken').length
    for (const time of upTo(restarts)) {
      const { acknowledged } = writers
      await eventually('more is said', () => writers.acknowledged > acknowledged + 60)
      server.child.kill(time % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
      await server.ended
      await eventually('the page knows that nobody serves', async () => (await broken()) >= time)
      server = await TestServer.start({ db, args })
      await page.locator('.connection.live').waitFor(soon)
    }
    writers.end()
    await writing
    const store = await openSqlite(db)
    onTestFinished(() => store.close())
    const rows = await store.all('SELECT id FROM messages ORDER BY id DESC')
    const stored = rows.map((row) => String(integer(row.id)))
    expect(stored.length).toBe(writers.acknowledged)
    await expect.poll(async () => (await rowsOf(page))[0], soon).toBe(stored[0])
    expect(await walkList(page, { count: stored.length })).toEqual(stored)
    console.log(`${stored.length} messages over ${restarts} restarts`)
    expect((await badgesOf(page)).at(-1)).toBe('live')
    expect(await isTheSame(page)).toBe(true)
  }, 180_000)
})
