/** A mail that answers an agent's, on the page: it says whose it answers, and one key gives it to that agent, in a real browser. */
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { button, patience, said } from '../../support/page/approvals.ts'
import { narrow, settled, sharedBrowser, soon, wide } from '../../support/page/browser.ts'
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
  const told = async () => {
    await home.once()
    const read = await server.call('read_messages', { agent_id, unread: true })
    return JSON.stringify(read.structuredContent)
  }
  return { desk, home, told }
}

const card = (page: Page, words: string): Locator =>
  page.locator('main li.card').filter({ hasText: words })

describeWith('chromium', 'a mail that answers an agent', () => {
  const browser = sharedBrowser()

  it('is given to that agent by one key, where it needs you and among the mails', async () => {
    const { desk, told } = await scene()
    const { page, faults } = await browser.open(`${desk.server.url}/#/*/needs`)
    await settled(page)
    const need = card(page, 'Re: Delivery')
    await need.getByText('answers bob’s mail').waitFor(patience)
    expect(await card(page, 'News').getByText('answers').count()).toBe(0)
    expect(await button(card(page, 'News'), /^Give to/).count()).toBe(0)
    await need.focus()
    await page.keyboard.press('d')
    await said(page, 'Given to bob.')
    await soon(() => need.count()).toBe(0)

    await page.goto(`${desk.server.url}/#/*/mail`)
    await settled(page)
    await button(card(page, 'Re: Price'), 'Give to bob').click(patience)
    await said(page, 'Given to bob.')
    await soon(() => button(page, 'Give to bob').count()).toBe(0)
    const messages = await told()
    for (const subject of ['Delivery', 'Price']) expect(messages).toContain(`On ${subject}.`)
    expect(faults).toEqual([])
  })

  it('says so where nobody of that name is there any more, and a name is text', async () => {
    const { desk, home } = await scene(hostile)
    const { path } = await home.noteOn('Needs_Action', 'Re: Delivery')
    home.put(path, home.text(path).replace(/^answers: .*$/m, 'answers: ghost'))
    const { page, faults } = await browser.open(`${desk.server.url}/#/*/needs`)
    await settled(page)
    await card(page, 'Re: Price').getByText(`answers ${hostile}’s mail`).waitFor(patience)
    await button(card(page, 'Re: Delivery'), 'Give to ghost').click(patience)
    await said(page, /nobody is called "ghost"/)
    expect(await card(page, 'Re: Delivery').count()).toBe(1)
    expect(faults.filter((fault) => !/400/.test(fault))).toEqual([])
  })

  it.each([
    ['wide', wide],
    ['narrow', narrow],
  ])('fits a %s screen', async (_, viewport) => {
    const { desk } = await scene()
    for (const view of ['needs', 'approvals', 'mail']) {
      const { page } = await browser.open(`${desk.server.url}/#/*/${view}`, { viewport })
      await settled(page)
      await button(page, 'Give to bob').first().waitFor(patience)
      const room = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(room).toBe(0)
    }
  })
})
