/** A page on which nothing happens costs nothing, and one that nobody sees asks for what needs the person alone. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { SseClient } from '../../support/server/sse-client.ts'
import { upTo } from '../../support/store/databases.ts'

const idleMs = 30_000
const soon = { timeout: 30_000 }

/** Agents at open connections, which keep them alive. */
async function withAgents(): Promise<{ server: TestServer; first: string }> {
  const server = await TestServer.start()
  for (const n of upTo(10)) {
    const client = await SseClient.open(server.url)
    await client.call('register', { name: `agent ${n}`, role: 'coder' })
  }
  return { server, first: await server.register('writer') }
}

/** What a process has used of all cores so far; the system counts in hundredths of a second. */
function cpuMs({ pid }: TestServer): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** What the page asks from now on. */
function requestsOf(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  return asked
}

/** As a browser tells a page that nobody sees it, or that somebody does again. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)

describeWith('chromium', 'a page', () => {
  const browser = sharedBrowser()

  it('on which nothing happens asks for nothing, and takes less than one part in a hundred of a core', async () => {
    const { server } = await withAgents()
    const alone = (await withAgents()).server
    const views = ['needs', 'agents', 'messages', 'files', 'timeline']
    const pages = await Promise.all(
      views.map(async (view) => {
        const { page } = await browser.open(`${server.url}/#/default/${view}`)
        await settled(page)
        return page
      }),
    )
    await sleep(3000)
    const asked = pages.map(requestsOf)
    const before = [cpuMs(server), cpuMs(alone)]
    const start = performance.now()
    await sleep(idleMs)
    const used = [cpuMs(server), cpuMs(alone)].map((now, index) => now - (before[index] ?? 0))
    const [watched = 1, plain = 1] = used.map((ms) => ms / (performance.now() - start))
    console.log(
      `${(watched * 100).toFixed(2)} % of a core with five pages open, ${(plain * 100).toFixed(2)} % without`,
    )
    expect(asked.flat()).toEqual([])
    expect(watched).toBeLessThan(0.01)
    for (const page of pages) expect(await page.locator('.connection.live').count()).toBe(1)
  }, 120_000)

  it('that nobody sees asks for nothing but what needs the person, and is right when it is seen again', async () => {
    const { server, first: agent_id } = await withAgents()
    const { page } = await browser.open(`${server.url}/#/default/messages`)
    await settled(page)
    await setHidden(page, true)
    await sleep(1000)
    const asked = requestsOf(page)
    for (const n of upTo(5)) {
      await server.call('send_message', { agent_id, subject: `Subject ${n}`, body: 'b' })
    }
    await server.call('send_message', { agent_id, channel: '@human', subject: 'Which?', body: 'b' })
    await expect.poll(() => page.title(), soon).toMatch(/^\(1\) /)
    expect([...new Set(asked)]).toEqual(['/api/page/needs'])
    expect(await page.getByText('Subject 5').count()).toBe(0)
    await setHidden(page, false)
    await page.getByText('Subject 5').waitFor(soon)
  }, 60_000)
})
