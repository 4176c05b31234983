/** Ten thousand events while the page is open: it stays as light as it was, and answers. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { agentIdOf, Caller } from '../../support/coordination/caller.ts'
import { memoryInUse, tellsMemory } from '../../support/mcp/memory-in-use.ts'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { rowsOf, weightOf } from '../../support/page/list-walk.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { upTo } from '../../support/store/databases.ts'

const half = 5000
const atOnce = 20
const soon = { timeout: 30_000 }

describeWith('chromium', 'ten thousand events', () => {
  const browser = sharedBrowser()

  it('leave the page as light as five thousand, and it answers all the time', async () => {
    const server = await TestServer.start({ env: tellsMemory })
    const caller = new Caller()
    const agents = await Promise.all(
      upTo(10).map(async (n) =>
        agentIdOf(await caller.call(server.url, 'register', { name: `agent ${n}`, role: 'r' })),
      ),
    )
    let said = 0
    const say = async () => {
      const agent_id = agents[said % agents.length]
      const number = ++said
      const channel = number % 9 === 0 ? '@agent 3' : 'broadcast'
      const text = { channel, subject: `Subject ${number}`, body: `Number ${number} of many.` }
      await caller.call(server.url, 'send_message', { agent_id, ...text })
    }
    const sayUntil = async (count: number) => {
      while (said < count) await Promise.all(upTo(atOnce).map(say))
    }
    const { page, faults } = await browser.open(`${server.url}/#/default/messages`)
    await settled(page)
    const newest = async () => (await rowsOf(page))[0]
    const seesAll = () => expect.poll(newest, soon).toBe(String(said))

    await sayUntil(half)
    await seesAll()
    const before = { ...(await weightOf(page)), server: (await memoryInUse(server)).used }
    const saying = sayUntil(2 * half)
    const slowest = await clickWhile(page, () => said < 2 * half)
    await saying
    await page.getByRole('link', { name: 'Messages' }).click()
    await seesAll()
    const after = { ...(await weightOf(page)), server: (await memoryInUse(server)).used }
    const told = (weight: typeof after) =>
      `${weight.heap.toFixed(1)} MiB and ${weight.nodes} elements on the page, ${weight.server.toFixed(1)} MiB at the server`
    console.log(`at ${half}: ${told(before)}\nat ${2 * half}: ${told(after)}`)
    console.log(`the slowest click of a person was answered in ${Math.round(slowest)} ms`)
    expect(after.heap).toBeLessThan(before.heap * 1.2)
    expect(after.nodes).toBeLessThan(1500)
    expect(after.server - before.server).toBeLessThan(8)
    expect(faults).toEqual([])
  }, 180_000)
})

/** Goes from view to view as long as something is so, and gives how long the slowest took to be there. */
async function clickWhile(page: Page, isOn: () => boolean): Promise<number> {
  const names = ['Agents', 'Messages', 'Files', 'Needs you', 'Messages']
  let slowest = 0
  for (let click = 0; isOn(); click++) {
    const name = names[click % names.length] ?? ''
    const started = performance.now()
    await page.getByRole('link', { name }).click(soon)
    await page.getByRole('heading', { level: 1, name }).waitFor(soon)
    slowest = Math.max(slowest, performance.now() - started)
  }
  return slowest
}
