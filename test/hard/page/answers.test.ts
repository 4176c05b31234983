/** A mail that answers an agent's, on the page: it says whose it answers, and one key shows it and gives that agent what was shown, in a real browser. */
import { join } from 'node:path'
import type { Locator, Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { button, patience, press, said, textIn } from '../../support/page/approvals.ts'
import { narrow, settled, sharedBrowser, soon, wide } from '../../support/page/browser.ts'
import { barriers, beyondEdge } from '../../support/page/screen.ts'
import { describeWith } from '../../support/parts.ts'
import { mail, putQuiet } from '../../support/providers/local-folder.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const hostile = 'eve<img src=x onerror=alert(1)>'

/** Two mails of an agent that were answered, beside one that answers nobody. */
async function scene(agent = 'bob') {
  const desk = await PageDesk.open()
  const { home, server } = desk
  const agent_id = await server.register(agent)
  for (const subject of ['Delivery', 'Price']) {
    const args = ['mail', 'send', '--to', 'jane@example.com', '--subject', subject, '--body', '?']
    expect((await home.run(args, { AGENTMAIL_AGENT: agent })).exitCode).toBe(0)
  }
  for (const { subject, messageId = '' } of await home.sent()) {
    const headers = { Subject: `Re: ${subject}`, 'In-Reply-To': messageId }
    const text = mail({ ...headers, 'Message-ID': `<${subject}@x>` }, `On ${subject}.`)
    putQuiet(join(home.folder, `mail/inbox/${subject}.eml`), text)
  }
  home.drop({ subject: 'News' })
  await home.once()
  const pathOn = async (subject: string) => (await home.noteOn('Needs_Action', subject)).path
  const told = async () => {
    await home.once()
    const read = await server.call('read_messages', { agent_id, unread: true })
    return JSON.stringify(read.structuredContent)
  }
  return { desk, home, pathOn, told }
}

const card = (page: Page, words: string): Locator =>
  page.locator('main li.card').filter({ hasText: words })

/** How many elements of a card stand for the key, and whether the card itself has the focus. */
const keysOf = async (one: Locator): Promise<[number, boolean]> => [
  await one.locator('[data-key=d]').count(),
  (await one.and(one.page().locator(':focus')).count()) === 1,
]

/** What was just shown is not decided about for a moment. */
const decidable = (one: Locator) => soon(() => button(one, 'Give to bob').isEnabled()).toBe(true)

describeWith('chromium', 'a mail that answers an agent', () => {
  const browser = sharedBrowser()

  it.each(['needs', 'mail'])(
    'is shown by a key and given to that agent by the same key: %s',
    async (view) => {
      const { desk, told } = await scene()
      const { page, faults } = await browser.open(`${desk.server.url}/#/*/${view}`)
      const looks: string[] = []
      page.on('request', (request) => looks.push(...(request.url().match(/\/received/) ?? [])))
      await settled(page)
      const one = card(page, 'Re: Delivery')
      await one.getByText('answers bob’s mail').waitFor(patience)
      expect(await card(page, 'News').getByText('answers').count()).toBe(0)
      expect(await button(card(page, 'News'), /^Give to/).count()).toBe(0)
      await one.focus()
      expect([looks, await keysOf(one)]).toEqual([[], [1, true]])
      await page.keyboard.press('d')
      expect(await textIn(one, 'Text from outside')).toBe('On Delivery.')
      await decidable(one)
      expect([looks.length, await keysOf(one), desk.verdicts()]).toEqual([1, [1, true], []])
      expect(await button(one, 'Give to bob…').getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('d')
      await said(page, 'Given to bob.')
      await soon(() => button(one, /^Give to/).count()).toBe(0)
      expect(desk.verdicts()).toMatchObject([{ event: 'approved', to: '@bob' }])

      const other = card(page, 'Re: Price')
      await press(other, 'Give to bob…')
      await press(other, 'Give to bob')
      await said(page, 'Given to bob.')
      await soon(() => button(page, /^Give to/).count()).toBe(0)
      const messages = await told()
      for (const subject of ['Delivery', 'Price']) expect(messages).toContain(`On ${subject}.`)
      expect(faults).toEqual([])
    },
  )

  it('is not given by whoever presses the key before anybody could read it', async () => {
    const { desk } = await scene()
    const { page } = await browser.open(`${desk.server.url}/#/*/needs`)
    await settled(page)
    // The list has just come, too: this one shows when that moment is over.
    await press(card(page, 'Re: Price'), 'Give to bob…')
    await decidable(card(page, 'Re: Price'))
    const held: Route[] = []
    await page.route('**/api/page/received*', (route) => void held.push(route))
    const one = card(page, 'Re: Delivery')
    await one.focus()
    for (const key of ['d', 'd', 'd']) await page.keyboard.press(key)
    // And once more at the very moment in which it is there: how often does that ask the server?
    const asked = page.evaluate(`new Promise((done) => new MutationObserver((_, watch) => {
      if (document.querySelectorAll('.outside').length < 2) return
      watch.disconnect()
      let asked = 0
      const { fetch } = window
      window.fetch = (...given) => (asked++, fetch(...given))
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }))
      done(asked)
    }).observe(document.body, { childList: true, subtree: true }))`)
    await soon(() => held.length).toBe(1)
    await held[0]?.continue()
    expect(await asked).toBe(0)
    await decidable(one)
    expect(desk.verdicts()).toEqual([])
  })

  it('is given by one key in Approvals, where its text is on the screen', async () => {
    const { desk, told } = await scene()
    const { page } = await browser.open(`${desk.server.url}/#/*/approvals`)
    const one = card(page, 'Re: Delivery')
    await decidable(one)
    await one.focus()
    await page.keyboard.press('d')
    await said(page, 'Given to bob.')
    expect(await told()).toContain('On Delivery.')
  })

  it.each(['needs', 'mail', 'approvals'])(
    'is not given as another text than was read, but shows what changed: %s',
    async (view) => {
      const { desk, home, pathOn, told } = await scene()
      const { page } = await browser.open(`${desk.server.url}/#/*/${view}`)
      await settled(page)
      const one = card(page, 'Re: Delivery')
      await one.focus()
      if (view !== 'approvals') await page.keyboard.press('d')
      await decidable(one)
      expect(await textIn(one, 'Text from outside')).toBe('On Delivery.')
      const path = await pathOn('Re: Delivery')
      home.put(path, home.text(path).replace('On Delivery.', 'Pay at once.'))
      await page.keyboard.press('d')
      // It is left there: a click would take the focus away.
      const words = /is not what you have seen: it was changed since\s+Nobody was given anything/
      await page.locator('.toast').filter({ hasText: words }).waitFor(patience)
      const change = one.getByLabel('What changed in text')
      await change.waitFor(patience)
      expect([
        await change.locator('.gone').allTextContents(),
        await change.locator('.come').allTextContents(),
      ]).toEqual([
        [expect.stringContaining('On Delivery.')],
        [expect.stringContaining('Pay at once.')],
      ])
      expect(await textIn(one, 'Text from outside')).toBe('Pay at once.')
      expect([desk.verdicts(), home.list('Approved')]).toEqual([[], []])
      await decidable(one)
      expect(await keysOf(one)).toEqual([1, true])
      await page.keyboard.press('d')
      await said(page, 'Given to bob.')
      expect(await told()).toContain('Pay at once.')
    },
  )

  it('is not given where it could not be shown, and is shown when asked for again', async () => {
    const { desk } = await scene()
    const { page } = await browser.open(`${desk.server.url}/#/*/needs`)
    await page.route('**/api/page/received*', (route) => route.abort(), { times: 1 })
    await settled(page)
    const one = card(page, 'Re: Delivery')
    await one.focus()
    await page.keyboard.press('d')
    await one.getByText('The server does not answer.').waitFor(patience)
    expect(await keysOf(one)).toEqual([0, true])
    await press(one, 'Try again')
    expect(await textIn(one, 'Text from outside')).toBe('On Delivery.')
    await press(one, 'Give to bob…')
    expect(await button(one, 'Give to bob').count()).toBe(0)
    expect(await keysOf(one)).toEqual([1, false])
    expect(desk.verdicts()).toEqual([])
  })

  it('says so where nobody of that name is there any more, and a name is text', async () => {
    const { desk, home, pathOn } = await scene(hostile)
    const path = await pathOn('Re: Delivery')
    home.put(path, home.text(path).replace(/^answers: .*$/m, 'answers: ghost'))
    const { page, faults } = await browser.open(`${desk.server.url}/#/*/needs`)
    await settled(page)
    await card(page, 'Re: Price').getByText(`answers ${hostile}’s mail`).waitFor(patience)
    for (const name of ['Give to ghost…', 'Give to ghost']) {
      await press(card(page, 'Re: Delivery'), name)
    }
    await said(page, /nobody is called "ghost"/)
    expect(await card(page, 'Re: Delivery').count()).toBe(1)
    expect(faults.filter((fault) => !/400/.test(fault))).toEqual([])
  })

  it.each([
    ['wide', wide],
    ['narrow', narrow],
    ['low', { ...wide, height: 420 }],
  ])('fits a %s screen, is seen where it is opened, and has no barrier', async (_, viewport) => {
    const { desk } = await scene()
    for (const view of ['needs', 'approvals', 'mail']) {
      const { page } = await browser.open(`${desk.server.url}/#/*/${view}`, { viewport })
      await settled(page)
      const one = card(page, 'Re: Delivery')
      if (view !== 'approvals') {
        await one.focus()
        await page.keyboard.press('d')
      }
      await decidable(one)
      const box = await button(one, 'Give to bob').boundingBox()
      const end = box === null ? Number.NaN : box.y + box.height
      if (view !== 'approvals') expect(end).toBeLessThanOrEqual(viewport.height)
      expect([...(await barriers(page)), ...(await beyondEdge(page))]).toEqual([])
    }
  })
})
