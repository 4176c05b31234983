/** A draft that changes between sight and click, in a hundred ways: the click only shows what changed, and a second one is of what is seen then. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  approvalsAddress,
  button,
  cardOf,
  fieldsOf,
  openApprovals,
  openDeaf,
  patience,
  press,
  said,
  textIn,
} from '../../support/page/approvals.ts'
import { sharedBrowser, wide } from '../../support/page/browser.ts'
import { changedWays, putDraft, versionNow, type Way } from '../../support/page/changed-drafts.ts'
import { describeWith } from '../../support/parts.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

type Place = ReturnType<typeof putDraft>

const tabs = 3
const changesOn = (card: Locator): Locator =>
  card.getByLabel('What changed since you looked', { exact: true })

/** The card, whole, before anything has changed. */
async function see(page: Page, { path }: Place): Promise<Locator> {
  const card = await cardOf(page, path)
  await expect.poll(() => button(card, 'Approve').isEnabled(), patience).toBe(true)
  expect(await changesOn(card).count()).toBe(0)
  return card
}

/** A click approves nothing, and says what has become of it; gives the version that may be approved then. */
async function firstClick(page: Page, card: Locator, way: Way, place: Place) {
  await press(card, 'Approve')
  if (way.end === 'changed') {
    await said(page, /^Nothing was approved: .* has changed since it was shown\./)
    const change = changesOn(card).getByLabel(`What changed in ${way.field}`, { exact: true })
    await change.waitFor(patience)
    expect(await change.locator('.gone, .come').count()).toBeGreaterThan(0)
    await expect.poll(() => isOnScreen(changesOn(card).getByRole('heading')), patience).toBe(true)
    return versionNow(place)
  }
  if (way.end === 'broken') {
    await card.getByText('it cannot be sent').waitFor(patience)
    expect(await button(card, 'Approve').isEnabled()).toBe(false)
  } else if (way.end === 'faulty') {
    await page
      .locator('.fault')
      .filter({ hasText: `${place.path}: ` })
      .waitFor(patience)
    expect(await page.getByText('It does not wait any more.').count()).toBe(0)
  } else if (way.end === 'approved') {
    await said(page, 'Was approved already, by Paul: The order')
  }
  if (way.end === 'gone' || way.end === 'approved') {
    await page.getByText('It does not wait any more.').waitFor(patience)
  }
  return undefined
}

describeWith('chromium', 'a draft that changes between sight and click', () => {
  const browser = sharedBrowser()

  it('is not approved, in a hundred ways that the page has not heard of', {
    timeout: 400_000,
  }, async () => {
    const desk = await PageDesk.open()
    const { home } = desk
    expect(changedWays.length).toBeGreaterThanOrEqual(100)
    const drafts = changedWays.map((way, index) => ({ way, place: putDraft(home, index) }))
    const wrong: string[] = []
    /** What the page was right to approve, by note. */
    const expected = new Map<string, string>()
    const work = async (own: typeof drafts) => {
      const page = await openDeaf(browser, desk, own[0]?.place.path)
      for (const { way, place } of own) {
        try {
          await page.goto(approvalsAddress(desk.server.url, place.path))
          const card = await see(page, place)
          const seen = await versionNow(place)
          await way.change(place)
          const now = way.end === 'changed' ? await versionNow(place) : undefined
          expect(now, 'it is another version').not.toBe(seen)
          await firstClick(page, card, way, place)
          const verdicts = desk.verdicts().filter(({ note }) => sameName(note, place.path))
          expect(verdicts.filter(({ by }) => by !== 'Paul')).toEqual([])
          if (now === undefined) continue
          expect(home.text(place.path)).not.toContain('approved_by')
          await press(card, 'Approve')
          await said(page, /^Approved: /)
          expected.set(place.path.replace('Drafts', 'Approved'), now)
        } catch (error) {
          wrong.push(`${way.name}: ${error instanceof Error ? error.message : error}`)
        }
      }
    }
    const shares = Array.from({ length: tabs }, (_, tab) =>
      drafts.filter((_, index) => index % tabs === tab),
    )
    await Promise.all(shares.map(work))
    expect(wrong).toEqual([])
    const mine = desk.verdicts().filter(({ by }) => by !== 'Paul')
    expect(new Map(mine.map(({ note, sha256 }) => [note, sha256]))).toEqual(expected)
    expect(mine).toHaveLength(expected.size)
  })

  it('is told of where the page has heard of it, and stays on the screen as it was seen', {
    timeout: 180_000,
  }, async () => {
    const desk = await PageDesk.open()
    const { home } = desk
    const fields = ['body', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'from', 'attachments']
    const isHeard = ({ field, name }: Way) => field !== 'attachments' || /less|order/.test(name)
    const some = fields.map((field) =>
      changedWays.find((way) => way.field === field && way.end === 'changed' && isHeard(way)),
    )
    const drafts = some.map((way, index) => ({ way, place: putDraft(home, index) }))
    const { page } = await openApprovals(browser, desk)
    for (const { way, place } of drafts) {
      if (!way) throw new Error('There is a way for each field')
      const card = await see(page, place)
      const before = [await fieldsOf(card), await textIn(card, 'Text that will be sent')]
      await way.change(place)
      await card.getByText('It has changed since it was shown here.').waitFor(patience)
      const after = [await fieldsOf(card), await textIn(card, 'Text that will be sent')]
      expect(after, way.name).toEqual(before)
      expect(await card.getByLabel('Select').isEnabled()).toBe(false)
      await press(card, way.field === 'to' ? 'Show what changed' : 'Approve')
      if (way.field !== 'to') await said(page, /^Nothing was approved: /)
      await changesOn(card).getByLabel(`What changed in ${way.field}`).waitFor(patience)
      expect(desk.verdicts().filter(({ note }) => sameName(note, place.path))).toEqual([])
      const now = await versionNow(place)
      await press(card, 'Approve')
      await said(page, /^Approved: /)
      expect(desk.verdicts().at(-1)).toMatchObject({ sha256: now })
    }
  })

  it('is not approved by the second of two hasty clicks', async () => {
    const desk = await PageDesk.open()
    const place = putDraft(desk.home, 0)
    const page = await openDeaf(browser, desk)
    const card = await see(page, place)
    desk.home.put(place.path, desk.home.text(place.path).replace('boss@', 'eve@'))
    // As soon as what changed is there.
    await page.evaluate(`new MutationObserver(() => {
      if (document.querySelector('.changes')) document.querySelector('[data-key=a]').click()
    }).observe(document.querySelector('main'), { childList: true, subtree: true, attributes: true })`)
    await button(card, 'Approve').dblclick(patience)
    await changesOn(card).waitFor(patience)
    await said(page, /^Nothing was approved/)
    expect(desk.verdicts()).toEqual([])
  })

  it('would be approved, were the click of whatever is there at that moment', async () => {
    const desk = await PageDesk.open()
    const place = putDraft(desk.home, 0)
    const page = await openDeaf(browser, desk)
    await page.route('**/api/page/approve', async (route) => {
      const sha256 = await versionNow(place)
      await route.continue({ postData: JSON.stringify({ path: place.path, sha256 }) })
    })
    const card = await see(page, place)
    desk.home.put(place.path, desk.home.text(place.path).replace('boss@', 'eve@'))
    await press(card, 'Approve')
    await said(page, /^Approved: /)
    expect(desk.verdicts()).toHaveLength(1)
  })

  it('after it was approved waits again, with why, and is approved anew as it is then', async () => {
    const desk = await PageDesk.open()
    const place = putDraft(desk.home, 0)
    mkdirSync(join(desk.home.root, 'Approved'), { recursive: true })
    const { page } = await openApprovals(browser, desk)
    await press(await see(page, place), 'Approve')
    await said(page, /^Approved: /)
    const path = place.path.replace('Drafts', 'Approved')
    desk.home.put(path, desk.home.text(path).replace('boss@', 'eve@'))
    const card = await cardOf(page, path)
    await card.getByText(/it was changed after it was approved by/).waitFor(patience)
    expect(await fieldsOf(card)).toMatchObject({ Bcc: 'eve@example.com' })
    await desk.home.once()
    expect(await desk.home.sent()).toEqual([])
    await press(card, 'Approve')
    await said(page, /^Approved: /)
    expect(desk.verdicts()).toHaveLength(2)
    await desk.home.once()
    expect(await desk.home.sentSubjects()).toEqual(['The order'])
  })
})

async function isOnScreen(place: Locator): Promise<boolean> {
  const box = await place.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= wide.height
}

const sameName = (note: unknown, path: string): boolean =>
  String(note).split('/').at(-1) === path.split('/').at(-1)
