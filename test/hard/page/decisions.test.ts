/** What a person decides on the page beyond yes, in a real browser: another text, no, who shall see to it, and whether a mail has left. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import {
  button,
  cardOf,
  gone,
  openApprovals,
  openDeaf,
  patience,
  press,
  said,
  textIn,
} from '../../support/page/approvals.ts'
import { sharedBrowser } from '../../support/page/browser.ts'
import { describeWith } from '../../support/parts.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const rules = [
  { subject: 'Offer', decision: 'draft_reply', reason: 'asked', reply: 'Dear Jane,\nyes.\n' },
  { subject: 'Bill', decision: 'delegate', reason: 'for somebody', delegate_to: 'planner' },
]

/** Mails that came in as each kind, and an agent called bob. */
async function scene() {
  const desk = await PageDesk.open(rules)
  const { home } = desk
  const agent_id = await desk.server.register('bob')
  for (const subject of ['Offer', 'Bill', 'Question']) home.drop({ subject, body: `On ${subject}` })
  await home.once()
  const pathOn = async (folder: string, subject: string) =>
    (await home.noteOn(folder, subject)).path
  const told = async () => {
    await home.once()
    const { structuredContent } = await desk.server.call('read_messages', {
      agent_id,
      unread: true,
    })
    return JSON.stringify(structuredContent)
  }
  return { desk, home, pathOn, told }
}

/** A mail of which nobody knows whether it has left. */
async function unknownSend({ home }: PageDesk, subject: string): Promise<string> {
  const ledger = await openLedger(new Config({}, home.env))
  const { record } = await ledger.begin({
    ...{ scope: 's', key: subject, content_hash: subject, provider: 'local', subject },
    recipients: ['paul@example.com'],
  })
  await ledger.settle(await ledger.sending(record, { subject }), 'unknown', { reason: 'silence' })
  await ledger.close()
  return record.id
}

const lines = (place: Locator, sign: 'gone' | 'come') => place.locator(`.${sign}`).allTextContents()

describeWith('chromium', 'a draft that is edited on the page', () => {
  const browser = sharedBrowser()

  it('is saved, shows how it differs from what was proposed, and leaves as it is then', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const { page } = await openApprovals(browser, desk, path)
    const card = await cardOf(page, path)
    await press(card, 'Edit')
    await card.getByLabel('text', { exact: true }).fill('Dear Jane,\nno.\n')
    await card.getByLabel('cc', { exact: true }).fill('carl@example.com')
    await press(card, 'Save the draft')
    await said(page, 'Saved.')
    const changes = card.getByLabel('Edited since it was proposed')
    const body = changes.getByLabel('What changed in body')
    expect([await lines(body, 'gone'), await lines(body, 'come')]).toEqual([
      [expect.stringContaining('yes.')],
      [expect.stringContaining('no.')],
    ])
    expect(await lines(changes.getByLabel('What changed in cc'), 'come')).toHaveLength(1)
    expect(await card.getByText('It has changed since it was shown').count()).toBe(0)
    expect(home.text(path)).toContain('carl@example.com')
    await press(card, 'Approve')
    await said(page, /^Approved: /)
    await home.once()
    const [sent] = await home.sent()
    expect([sent?.text?.trim(), sent?.cc?.[0]?.address]).toEqual([
      ...['Dear Jane,\nno.', 'carl@example.com'],
    ])
  })

  it('says what is not as it was proposed where no text can show it', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    writeFileSync(join(home.root, 'a.txt'), 'file')
    home.put(path, home.text(path).replace('subject:', 'attachments: [a.txt]\nsubject:'))
    const { page } = await openApprovals(browser, desk, path)
    const changes = (await cardOf(page, path)).getByLabel('Edited since it was proposed')
    await changes.getByText('Not as it was, too: attachments.').waitFor(patience)
  })

  it('is not saved over what another has written meanwhile, and keeps what was typed', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const page = await openDeaf(browser, desk, path)
    const card = await cardOf(page, path)
    await press(card, 'Edit')
    await card.getByLabel('text', { exact: true }).fill('My long answer.\n')
    home.put(path, home.text(path).replace('yes.', 'perhaps.'))
    await press(card, 'Save the draft')
    await said(page, /has changed since it was read/)
    const change = card
      .getByLabel('What changed since you looked')
      .getByLabel('What changed in body')
    expect(await lines(change, 'come')).toEqual([expect.stringContaining('perhaps.')])
    expect(home.text(path)).toContain('perhaps.')
    expect(await card.getByLabel('text', { exact: true }).inputValue()).toBe('My long answer.\n')
    await press(card, 'Save the draft')
    await said(page, 'Saved.')
    expect(await textIn(card, 'Text that will be sent')).toBe('My long answer.\n')
  })

  it('keeps what was typed where it cannot be written, and says why', async () => {
    const { desk, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const page = await openDeaf(browser, desk, path)
    const card = await cardOf(page, path)
    await press(card, 'Edit')
    const text = card.getByLabel('text', { exact: true })
    await text.fill('What I have typed.\n')
    await card.getByLabel('to', { exact: true }).fill('')
    await press(card, 'Save the draft')
    await said(page, /^to names nobody: .*\nName somebody, or reject the draft/)
    await card.getByLabel('to', { exact: true }).fill('jane@example.com')
    expect(await button(card, 'Approve').isEnabled()).toBe(false) // of which text?
    expect(await text.inputValue()).toBe('What I have typed.\n')
    await desk.server.stop()
    await press(card, 'Save the draft')
    await said(page, 'The server does not answer, so nobody knows whether it was done.')
    expect(await text.inputValue()).toBe('What I have typed.\n')
  })
})

describeWith('chromium', 'a draft that is not approved on the page', () => {
  const browser = sharedBrowser()

  it('waits on, with words, where the vault cannot be written', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const { page } = await openApprovals(browser, desk, path)
    const card = await cardOf(page, path)
    home.move('Approved', 'Approved-away')
    home.put('Approved', 'a file where a folder must be')
    await press(card, 'Approve')
    await said(page, /^Approved is not a folder\n/)
    rmSync(join(home.root, 'Approved'))
    home.move('Approved-away', 'Approved')
    expect(home.list('Drafts')).toEqual([path])
    await press(card, 'Approve')
    await said(page, /^Approved: /)
    await home.once()
    expect(await home.sentSubjects()).toEqual(['Re: Offer'])
  })

  it('is rejected for a reason, which is needed', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const { page } = await openApprovals(browser, desk, path)
    const card = await cardOf(page, path)
    await card.focus()
    await page.keyboard.press('r')
    await page.keyboard.type('  ')
    expect(await button(card, 'Reject it').isEnabled()).toBe(false)
    await page.keyboard.press('Enter')
    await page.keyboard.type('too dear')
    await page.keyboard.press('Enter')
    await said(page, 'Rejected: Re: Offer')
    await gone(card)
    expect(desk.verdicts()).toMatchObject([{ event: 'rejected', reason: 'too dear' }])
    expect(home.list('Drafts')).toEqual([])
    await page.goto(`${desk.server.url}/#/*/approvals`)
    const mail = await cardOf(page, await pathOn('Needs_Action', 'Offer'))
    await mail.getByText('the draft was rejected: too dear').waitFor(patience)
  })

  it('is not rejected where it is another by then, but shows what changed', async () => {
    const { desk, home, pathOn } = await scene()
    const path = await pathOn('Drafts', 'Re: Offer')
    const page = await openDeaf(browser, desk, path)
    const card = await cardOf(page, path)
    await press(card, 'Reject')
    home.put(path, home.text(path).replace('yes.', 'no.'))
    await card.getByLabel('Why').fill('I want no yes')
    await press(card, 'Reject it')
    await said(page, /is not what you have seen: it was changed since\nNothing was rejected/)
    await card.getByLabel('What changed in body').waitFor(patience)
    expect(await card.getByLabel('Why').inputValue()).toBe('I want no yes')
    expect([home.list('Drafts'), desk.verdicts()]).toEqual([[path], []])
  })

  it.each([
    ['a reply that was drafted', 'Drafts', 'Re: Offer', 'On Offer'],
    ['a mail that was to be delegated', 'Needs_Action', 'Bill', 'On Bill'],
    ['a mail that waits', 'Needs_Action', 'Question', 'On Question'],
  ])('is given to an agent from the list: %s', async (_, folder, subject, words) => {
    const { desk, home, pathOn, told } = await scene()
    const path = await pathOn(folder, subject)
    const { page } = await openApprovals(browser, desk, path)
    const card = await cardOf(page, path)
    await press(card, 'Delegate')
    await expect.poll(() => card.getByRole('option').allTextContents(), patience).toEqual(['bob'])
    await press(card, 'Give it to bob')
    await said(page, 'Given to bob.')
    await gone(card)
    expect(await told()).toContain(words)
    expect(await home.sent()).toEqual([])
  })

  it('is not given away as another text than was read', async () => {
    const { desk, home, pathOn, told } = await scene()
    const path = await pathOn('Needs_Action', 'Question')
    const page = await openDeaf(browser, desk, path)
    const card = await cardOf(page, path)
    await card.getByLabel('Text from outside').waitFor(patience)
    await press(card, 'Delegate')
    home.put(path, home.text(path).replace('On Question', 'Pay at once'))
    await press(card, 'Give it to bob')
    await said(page, /is not what you have seen: it was changed since\nNobody was given anything/)
    const change = card.getByLabel('What changed in text')
    expect([await lines(change, 'gone'), await lines(change, 'come')]).toEqual([
      [expect.stringContaining('On Question')],
      [expect.stringContaining('Pay at once')],
    ])
    expect(desk.verdicts()).toEqual([])
    await press(card, 'Give it to bob')
    await said(page, 'Given to bob.')
    expect(await told()).toContain('Pay at once')
  })
})

describeWith('chromium', 'a mail of which nobody knows', () => {
  const browser = sharedBrowser()

  it('is settled each way on the page', async () => {
    const desk = await PageDesk.open()
    for (const subject of ['One', 'Two', 'Three']) await unknownSend(desk, subject)
    const { page } = await browser.open(`${desk.server.url}/#/*/mail?kind=unknown`)
    const cards = page.getByLabel('Mails', { exact: true }).locator('li.card')
    const cardOn = (subject: string) => cards.filter({ hasText: subject })
    await press(cardOn('One'), 'It was sent')
    await said(page, 'Settled: One')
    await gone(cardOn('One'))
    await press(cardOn('Two'), 'It was not sent')
    await said(page, 'Settled: Two')
    await gone(cardOn('Two'))
    await press(cardOn('Three'), 'Ask the mail service')
    await said(page, /cannot say whether/)
    expect(await cards.count()).toBe(1)
    await press(page, 'All')
    await expect.poll(() => cardOn('One').locator('.state').textContent(), patience).toBe('sent')
    expect(await cardOn('Two').locator('.state').textContent()).toBe('failed')
    await page.goto(`${desk.server.url}/#/*/needs`)
    const needs = page.getByLabel('What needs you').locator('li')
    await expect.poll(() => needs.count(), patience).toBe(1)
    expect(await needs.first().textContent()).toContain('Three')
  })
})
