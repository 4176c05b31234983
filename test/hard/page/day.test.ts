/** What the page shows of a day of agents: everything that happened, with its words, and each thing leads to the next. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../../support/agentmail.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { settled, sharedBrowser, soon } from '../../support/page/browser.ts'
import { type Demo, startDemo } from '../../support/page/demo.ts'
import { describeWith } from '../../support/parts.ts'
import { callTool } from '../../support/server/server.ts'

const historySchema = z.array(
  z.object({
    agent_name: z.string(),
    event: z.string(),
    file: z.string().nullable(),
    text: z.string().nullable(),
  }),
)

describeWith('chromium', 'a day on the page', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let demo: Demo
  beforeAll(async () => {
    demo = await startDemo(atEnd)
  })

  /** After a fresh load of the address. */
  async function opened(place: string): Promise<{ page: Page; faults: string[] }> {
    const { page, faults } = await browser.open(`${demo.url}/#/${place}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await settled(page)
    return { page, faults }
  }

  const hash = async (page: Page) => String(await page.evaluate('location.hash'))
  const agent = (page: Page, name: string) =>
    page.locator('.line.agent', { has: page.locator('strong', { hasText: name }) })

  it('has everything that needs the person, each kind in its words, urgent first', async () => {
    const register = await callTool(demo.url, 'register', { name: 'late', role: 'r' }, 'shop')
    const { agent_id } = z.object({ agent_id: z.string() }).parse(register.structuredContent)
    const files = ['docs/api.md']
    await callTool(demo.url, 'claim_files', { agent_id, files }, 'shop')
    const { page, faults } = await opened('*/needs')
    const cards = page.locator('.need')
    await soon(() => cards.count()).toBe(12)
    const texts = (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(
      /^Urgent orchestrator .* Re: I was charged twice olga@customer.example/,
    )
    const wanted = [
      /^Draft orchestrator .* Re: Opening hours on Friday\? jane@customer.example Review/,
      /^Draft docs .* Coupons in our shop, from this week on Mara Lind .* Review/,
      /^Delegation orchestrator .* API: is the discount part .* @api-builder: A question about the API/,
      /^Mail Max Stone .* A plan for next year Look at it/,
      /^Waits for you shop web .* web waits for an answer cart and checkout pages/,
      /^Message shop api-builder .* Should codes be told apart by case\? .* Answer Mark as read/,
      /^Message shop planner .* May the release go out today, or rather tomorrow morning\?/,
      /^Mailbox mail shop ops .* The certificate of staging.shop.example ends on Friday/,
      /^Fell silent shop docs .* docs is silent and holds 3 files CHANGELOG.md, docs\/api.md/,
      /^Conflict shop late .* late waits for docs\/api.md held by docs See who holds it/,
      /^Sent or not\? .* Invoice 2044 for May .* Settle it/,
    ]
    const missing = wanted.filter((pattern) => !texts.some((text) => pattern.test(text)))
    expect(missing, texts.join('\n')).toEqual([])
    await page.getByRole('link', { name: 'See who holds it' }).click()
    await page.locator('.letter', { hasText: 'docs holds docs/api.md' }).waitFor()
    await callTool(demo.url, 'release_files', { agent_id, files }, 'shop')
    await page.goto(`${demo.url}/#/*/needs`)
    await page.getByRole('link', { name: 'Settle it' }).click()
    await page.getByRole('button', { name: 'It was not sent' }).waitFor()
    expect(faults).toEqual([])
  })

  it('has every agent with how it is, what it holds, what it last said, and what it has not read', async () => {
    const { page, faults } = await opened('shop/agents')
    const wanted: Record<string, string[]> = {
      web: [
        'waits for you',
        'cart and checkout pages',
        'claude',
        'src/cart/cart-view.tsx',
        'as you',
      ],
      docs: ['silent', 'gemini', 'CHANGELOG.md, docs/api.md, docs/coupons.md', '2 unread'],
      'api-builder': ['working', 'codex', 'src/coupons/redeem.ts', 'Should codes be told apart'],
      tests: ['working', 'e2e/checkout.spec.ts', '1 unread'],
      planner: ['ready', 'When you are at it'],
      reviewer: ['ready', '2 unread', 'Shall I finish'],
      ops: ['ready', 'tmux %7', 'The certificate of staging'],
      i18n: ['gone', 'translations, German and French'],
    }
    for (const [name, words] of Object.entries(wanted)) {
      const shown = await agent(page, name).first().innerText()
      for (const word of words) expect(shown).toContain(word)
    }
    await callTool(demo.url, 'register', { name: 'newcomer', role: 'r' }, 'shop')
    await agent(page, 'newcomer').waitFor()
    expect(await agent(page, 'web').innerText()).toContain('waits for you')
    await agent(page, 'web').locator('a').click()
    expect(await page.locator('h1').innerText()).toBe('web')
    await page.getByRole('button', { name: 'Write to web' }).click()
    await page.getByLabel('Message to web').waitFor()
    await page.locator('.line.message', { hasText: 'Can the cart show a coupon' }).waitFor()
    await page.getByRole('link', { name: 'src/checkout/checkout-page.tsx' }).click()
    await page.locator('.letter h2', { hasText: 'src/checkout/checkout-page.tsx' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Time line', exact: true }).nth(1).click()
    await soon(() => page.locator('.names li').allInnerTexts()).toEqual(['web'])
    await page.getByRole('button', { name: 'Show everybody' }).click()
    await soon(() => page.locator('.names li').count()).toBeGreaterThan(8)
    expect(faults).toEqual([])
  })

  it('has every message, of channels and mailboxes in one list, and what became of it', async () => {
    const { page } = await opened('shop/messages')
    const rows = page.locator('.line.message')
    const row = (words: string) => rows.filter({ hasText: words }).first()
    expect(await row('The certificate of staging').innerText()).toMatch(/ops\s+→ @human\s+mailbox/)
    expect(await row('When you are at it').innerText()).toContain('queued')
    expect(await row('two cases around midnight').innerText()).toContain('notified')
    expect(await row('as you type').innerText()).toContain('read')
    const shown = async () =>
      (await rows.allInnerTexts()).map((text) => text.split('\n').slice(0, 2))
    const areAll = async (fits: RegExp) => {
      const pairs = await shown()
      return pairs.length > 1 && pairs.every((pair) => fits.test(pair.join()))
    }
    await page.getByLabel('Channel').selectOption('security')
    await soon(shown).toEqual([['api-builder', '→ security']])
    await page.getByLabel('Channel').selectOption('')
    await page.getByRole('button', { name: 'Mailbox' }).click()
    await soon(() => rows.count()).toBe(3)
    for (const text of await rows.allInnerTexts()) expect(text).toContain('mailbox')
    await page.getByRole('button', { name: 'Direct' }).click()
    await soon(() => areAll(/→ @/)).toBe(true)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Agent').selectOption('i18n')
    await soon(() => areAll(/i18n/)).toBe(true)
  })

  it('opens a message by its address alone, with project, folder and branch above; another project keeps the view', async () => {
    const first = await opened('shop/messages')
    await first.page.locator('.line.message', { hasText: 'Can the cart show' }).locator('a').click()
    const address = await hash(first.page)
    expect(address).toMatch(/^#\/shop\/messages\/\d+$/)
    const { page, faults } = await opened(address.slice(2))
    await page.locator('.letter h2', { hasText: 'Can the cart show a coupon' }).waitFor()
    expect(await page.locator('.place').innerText()).toBe(`${demo.folder}/shop · branch main`)
    const chosen = page.getByLabel('Project')
    expect(await chosen.locator('option:checked').innerText()).toBe('shop')
    await chosen.selectOption({ label: 'api' })
    await soon(() => hash(page)).toBe('#/api/messages')
    expect(await page.locator('.place').innerText()).toBe(`${demo.folder}/api · branch main`)
    await chosen.selectOption({ label: 'all projects' })
    await soon(() => hash(page)).toBe('#/*/messages')
    expect(faults).toEqual([])
  })

  it('has every file that is held, folders folded, and the history of a path', async () => {
    const { page } = await opened('shop/files')
    const claims = page.locator('.line.file a')
    const all = await claims.count()
    expect(await claims.allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^coupons\.md\s+docs/)]),
    )
    const folder = page.getByRole('button', { name: 'src/' })
    expect(await folder.getAttribute('aria-expanded')).toBe('true')
    await folder.click()
    await soon(() => claims.count()).toBeLessThan(all)
    await folder.click()
    await soon(() => claims.count()).toBe(all)
    await claims.filter({ hasText: 'redeem.ts' }).click()
    const letter = page.locator('.letter')
    await letter.locator('.history li').first().waitFor()
    const history = await letter.locator('.history').innerText()
    for (const words of [
      'tests announced',
      'One missing await',
      'api-builder claimed',
      'src/coupons/**',
    ])
      expect(history).toContain(words)
    expect(await letter.innerText()).toContain('api-builder')
    await letter.getByRole('link', { name: 'tests' }).first().click()
    await soon(() => page.locator('h1').innerText()).toBe('tests')
  })

  /** What the command shows, of that time. */
  async function trail(ms = Date.now()) {
    const time = new Date(ms).toISOString()
    const words = ['history', '--as-of', time, '--project', 'shop', '--server', demo.url, '--json']
    return historySchema.parse(JSON.parse((await agentmail(words)).stdout))
  }

  async function heldAt(ms: number): Promise<string[]> {
    const held = new Set<string>()
    for (const { agent_name, event, file } of await trail(ms)) {
      if (event === 'claimed') held.add(`${agent_name} ${file}`)
      if (event === 'released') held.delete(`${agent_name} ${file}`)
    }
    return [...held].sort()
  }

  it.each([0.3, 0.5, 0.62, 0.8])(
    'shows a moment as it was then: at %s of its width',
    async (part) => {
      const { page, faults } = await opened('shop/timeline')
      const plot = await page.locator('.plot').boundingBox()
      if (!plot) throw new Error('There is no plot')
      await page.mouse.click(plot.x + plot.width * part, plot.y + 60)
      await page.getByText(/^As it was at/).waitFor()
      const at = Number(new URLSearchParams((await hash(page)).split('?')[1]).get('at'))
      const shown = z.array(z.string()).parse(
        await page.evaluate(`[...document.querySelectorAll('[aria-label="As it was"] li')].flatMap((line) =>
        [...line.querySelectorAll('.path')].map((path) => line.querySelector('a').textContent + ' ' + path.textContent))`),
      )
      expect(shown.sort()).toEqual(await heldAt(at - 1))
      expect(shown.length).toBeGreaterThan(0)
      expect(faults).toEqual([])
    },
  )

  it('has a lane an agent, zooms where one drags, and counts who writes to whom', async () => {
    const { page } = await opened('shop/timeline')
    const names = await page.locator('.names li').allInnerTexts()
    for (const name of ['planner', 'web', 'api-builder', 'docs', 'ops', 'i18n', 'migrations'])
      expect(names).toContain(name)
    const said = (await trail()).filter(
      ({ agent_name, text }) => agent_name === 'web' && text?.startsWith('[@api-builder]'),
    )
    expect(said.length).toBeGreaterThan(3)
    const cell = page.locator(`td[title="web to @api-builder: ${said.length} messages"]`)
    expect(await cell.innerText()).toBe(String(said.length))
    const plot = await page.locator('.plot').boundingBox()
    if (!plot) throw new Error('There is no plot')
    await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 60)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width * 0.35, plot.y + 60, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Show all of it' }).waitFor()
    const { from, to } = Object.fromEntries(new URLSearchParams((await hash(page)).split('?')[1]))
    const hours = (Number(to) - Number(from)) / 3600_000
    expect(hours).toBeGreaterThan(1.1)
    expect(hours).toBeLessThan(1.3)
    expect(await cell.count()).toBe(0)
    await page.getByRole('button', { name: 'Show all of it' }).click()
    await cell.waitFor()
    await page.getByRole('button', { name: '1 hour', exact: true }).click()
    await soon(() => hash(page)).toBe('#/shop/timeline?range=1')
    await soon(() => cell.count()).toBe(0)
  })

  it('has every mail with what became of it, who approved it and the line of the audit', async () => {
    const { page } = await opened('*/mail')
    const mail = (subject: string) => page.locator('.card.mail', { hasText: subject })
    expect(await mail('12 things about widgets').innerText()).toMatch(/^In\s+done/)
    expect(await mail('Re: Opening hours').innerText()).toMatch(/^Out\s+waits/)
    expect(await mail('Invoice 2044 for May').innerText()).toMatch(/^Out\s+unknown/)
    const sent = mail('Your order 20388')
    expect(await sent.innerText()).toMatch(/^Out\s+sent\s+to ben@customer.example/)
    await sent.getByRole('button', { name: 'More' }).click()
    const facts = await sent.innerText()
    expect(facts).toMatch(/Approved by\s+you\s/)
    expect(facts).toMatch(/SHA-256\s+[0-9a-f]{64}/)
    expect(facts).toMatch(
      /audit before it left\s+\S+Z {2}to Ben Okafor <ben@customer.example>: Your order/,
    )
    expect(facts).toContain('your two mugs have left us')
    await page.getByRole('button', { name: 'Unknown' }).click()
    await soon(() => page.locator('.card.mail').count()).toBe(1)
  })

  it('is connected by lines that can be copied, tried by a message, and looked at by the doctor', async () => {
    const { page, faults } = await opened('shop/setup')
    const line = page.locator('.lines .copy').first()
    await line.getByRole('button').click()
    await page.locator('.toast', { hasText: 'Copied' }).waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied).toBe(await line.locator('code').innerText())
    expect(copied).toContain('agentmail')
    expect(await page.locator('main').innerText()).toContain(`${demo.url}/mcp/shop`)
    const before = Number(
      await page.locator('nav .count').evaluate((one) => parseInt(one.textContent ?? '', 10)),
    )
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.locator('.toast', { hasText: 'It arrives under Needs you.' }).waitFor()
    await page.locator('nav .count', { hasText: String(before + 1) }).waitFor()
    await page.getByRole('button', { name: 'Ask agentmail doctor' }).click()
    await page.locator('.doctor li').first().waitFor({ timeout: 60_000 })
    const says = await page.locator('.doctor').innerText()
    expect(says).toMatch(/^(problem|warning|ok|off)/m)
    expect(says).toContain('database')
    expect(faults).toEqual([])
  })
})
