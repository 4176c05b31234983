/** The worst that anybody can write into any field, on every view: it is shown as text, runs nothing, hides nothing, and can be opened and acted on. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { afterAllTests } from '../../support/at-end.ts'
import {
  narrow,
  type Opened,
  settled,
  sharedBrowser,
  soon,
  wide,
} from '../../support/page/browser.ts'
import { HostileOffice } from '../../support/page/hostile-office.ts'
import { awkwardNames, everything, live, unseen } from '../../support/page/hostile-words.ts'
import { barriers, beyondEdge } from '../../support/page/screen.ts'
import { describeWith } from '../../support/parts.ts'
import { PageVisitor } from '../../support/server/page-visitor.ts'

const views = ['needs', 'agents', 'messages', 'files', 'timeline', 'approvals', 'mail', 'setup']

/** Text, and what screen readers or tool tips say; fields are exact. */
const shownUnseen = `(() => {
  const found = []
  const hidden = new RegExp(${JSON.stringify(`[${unseen.join('')}]`)}, 'u')
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) if (hidden.test(walk.currentNode.data)) found.push(walk.currentNode.data)
  for (const one of document.querySelectorAll('[title], [aria-label], [alt], [placeholder], [aria-valuetext]'))
    for (const name of ['title', 'aria-label', 'alt', 'placeholder', 'aria-valuetext'])
      if (hidden.test(one.getAttribute(name) ?? '')) found.push(name + ': ' + one.getAttribute(name))
  if (hidden.test(document.title)) found.push(document.title)
  return found.map((text) => 'shown as nothing: ' + JSON.stringify(text.slice(0, 80)))
})()`

const theirs = `[
  ...(globalThis.ran === undefined ? [] : ['something of theirs ran']),
  ...(globalThis.violations ?? []),
  ...[...document.querySelectorAll('.theirs, iframe, object, embed, [srcdoc]')].map((one) => 'is an element: ' + one.outerHTML.slice(0, 80)),
  ...[...document.querySelectorAll('[href], [src], [action]')]
    .map((one) => one.href?.baseVal ?? one.href ?? one.src ?? one.action)
    .filter((address) => /^\\s*(javascript|vbscript):/i.test(address))
    .map((address) => 'would run: ' + address.slice(0, 80)),
]`

const texts = z.array(z.string())
const asked = async (page: Page, script: string) => texts.parse(await page.evaluate(script))

/** Everything that may be wrong with what is on the screen now. */
async function wrongOn(page: Page): Promise<string[]> {
  return [
    ...(await asked(page, theirs)),
    ...(await asked(page, shownUnseen)),
    ...(await beyondEdge(page)),
  ]
}

describeWith('chromium', 'hostile text', () => {
  const browser = sharedBrowser()
  const atEnd = afterAllTests()
  let office: HostileOffice
  let url: string
  beforeAll(async () => {
    office = await HostileOffice.open(atEnd)
    url = office.server.url
    expect(office.refused).toEqual([])
  }, 120_000)

  /** A browser that tells of whatever leaves, asks or is forbidden. */
  async function opened(viewport: typeof wide): Promise<Opened & { left: string[] }> {
    const { page, faults } = await browser.open('about:blank', { viewport })
    const left: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
        left.push(request.url().slice(0, 100))
    })
    page.on('dialog', (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      (globalThis.violations ??= []).push('forbidden: ' + event.violatedDirective))`)
    await page.goto(`${url}/`)
    await settled(page)
    return { page, faults, left }
  }

  const sizes = [
    ['wide', wide],
    ['narrow', narrow],
  ] as const

  describe.each(sizes)('on a %s screen', (_, viewport) => {
    it('is text on every view, of one project and of all', { timeout: 180_000 }, async () => {
      const { page, faults, left } = await opened(viewport)
      const wrong: string[] = []
      for (const project of ['*', office.own]) {
        for (const view of views) {
          await page.goto(`${url}/#/${project}/${view}`)
          await settled(page)
          const found = [
            ...(await wrongOn(page)),
            ...(viewport === wide ? await barriers(page) : []),
          ]
          wrong.push(...found.map((one) => `${project}/${view}: ${one}`))
        }
      }
      expect([...wrong, ...faults, ...left]).toEqual([])
    })

    it('is opened by its link, whatever it is called', { timeout: 300_000 }, async () => {
      const { page, faults, left } = await opened({ ...viewport, height: 9000 })
      const wrong: string[] = []
      let visited = 0
      for (const view of ['agents', 'files', 'messages', 'needs']) {
        await page.goto(`${url}/#/*/${view}`)
        await settled(page)
        await unfold(page)
        const links = await linksOf(page)
        const step = viewport === wide && view === 'agents' ? 1 : 6
        for (const { href, name } of links.filter((_, index) => index % step === 0)) {
          await page.goto(`${url}/${href}`)
          await settled(page)
          const found = [...(await unopened(page, view, name)), ...(await wrongOn(page))]
          wrong.push(...found.map((one) => `${view} ${JSON.stringify(name.slice(0, 40))}: ${one}`))
          visited++
        }
      }
      expect([...wrong, ...faults, ...left]).toEqual([])
      expect(visited).toBeGreaterThan(awkwardNames.length)
    })
  })

  it.each(['a/b', '__proto__', '*', '..', '%2F', '?q=1#x', awkwardNames.at(-5) ?? ''])(
    'does not keep an agent from being written to, nor its file from being released: %j',
    async (name) => {
      const { page, faults, left } = await opened(narrow)
      await page.goto(`${url}/#/${office.own}/agents/${encodeURIComponent(name)}`)
      await page.getByRole('button', { name: /^Write to/ }).click()
      await page.locator('.compose textarea').fill(`to ${name}: ${live}`)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('.toast', { hasText: 'Sent.' }).waitFor()
      const query = new URLSearchParams({ project: office.own, agent: name, limit: '1' })
      expect(await answer(`/messages?${query}`)).toMatchObject({
        messages: [{ channel: `@${name}`, excerpt: `to ${name}: ${live}`.slice(0, 200) }],
      })
      const releases = page.getByRole('button', { name: 'Release…' })
      const before = await releases.count()
      await releases.first().click()
      expect(await wrongOn(page)).toEqual([])
      await page.getByRole('button', { name: /^Release it from/ }).click()
      await page.locator('.toast', { hasText: 'Released.' }).waitFor()
      await soon(() => releases.count()).toBe(before - 1)
      expect([...(await wrongOn(page)), ...faults, ...left]).toEqual([])
    },
  )

  it('does not keep a person from answering, searching, rejecting and delegating', async () => {
    const { page, faults, left } = await opened(wide)
    const wrong: string[] = []
    const look = async () => void wrong.push(...(await wrongOn(page)))
    const card = page.locator('.need.mailbox')
    await card.getByRole('button', { name: 'Answer' }).click()
    await card.locator('textarea').fill(live)
    await look()
    await card.getByRole('button', { name: 'Send', exact: true }).click()
    await soon(() => card.count()).toBe(0)
    await page.locator('#search').fill('javascript:ran=1 <svg')
    await page.locator('#search').press('Enter')
    await page.locator('.cards .card').first().waitFor()
    await look()
    await page.locator('#search').fill(live)
    await page.locator('#search').press('Enter')
    await settled(page)
    await look()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Where to' }).fill('img')
    await look()
    await page.keyboard.press('Escape')
    await page.goto(`${url}/#/*/approvals`)
    const draft = page.locator('.card.draft', { hasText: 'jane@example.com' })
    await draft.getByRole('button', { name: 'Edit' }).click()
    expect(await draft.locator('textarea').inputValue()).toContain(live)
    await draft.getByRole('button', { name: 'Reject' }).click()
    await draft.getByLabel('Why').fill(live.slice(0, 300))
    await look()
    await draft.getByRole('button', { name: 'Reject it' }).click()
    await page.locator('.toast', { hasText: 'Rejected' }).waitFor()
    const fit = page.locator('.card.draft', { hasText: 'paul@example.com' })
    await fit.getByRole('button', { name: 'Look' }).click()
    await fit.locator('[aria-label^="Text of"]').waitFor()
    await fit.getByText('Select').click()
    await look()
    await fit.getByRole('button', { name: 'Approve' }).click()
    await page.locator('.toast', { hasText: 'Approved' }).waitFor()
    const mail = page.locator('ul[aria-label="Mails that wait for you"] > li').first()
    await mail.getByRole('button', { name: 'Delegate' }).click()
    await mail.getByLabel('Who shall see to it').selectOption({ value: '..' })
    await look()
    await mail.getByRole('button', { name: /^Give it to/ }).click()
    await page.locator('.toast', { hasText: 'Given to' }).waitFor()
    await look()
    await page.goto(`${url}/#/*/mail`)
    await page.getByRole('button', { name: 'It was sent' }).click()
    await page.locator('.toast', { hasText: 'Settled' }).waitFor()
    const more = page.getByRole('button', { name: 'More', exact: true })
    while ((await more.count()) > 0) await more.first().click()
    await look()
    expect([...wrong, ...faults, ...left]).toEqual([])
  })

  it('would run, ask elsewhere and hide where it is taken for more than text (control)', async () => {
    const { page } = await browser.open('about:blank')
    const left: string[] = []
    page.on('request', (request) => left.push(request.url()))
    await page.setContent(`<!doctype html><title>${everything}</title>${everything}`)
    await soon(() => page.evaluate('globalThis.ran')).toBe(1)
    expect(left.join()).toContain('elsewhere.example')
    const wrong = (await wrongOn(page)).map((one) => one.split(':')[0])
    expect(new Set(wrong)).toEqual(
      new Set([
        ...['something of theirs ran', 'is an element', 'would run', 'shown as nothing'],
        expect.stringContaining('goes on sideways'),
      ]),
    )
  })

  /** Without a browser. */
  const answer = async (path: string): Promise<unknown> =>
    JSON.parse((await (await PageVisitor.enter(url)).get(path)).text)
})

/** Folders of claims that are closed. */
async function unfold(page: Page): Promise<void> {
  const closed = page.locator('.line.file button[aria-expanded=false]')
  while ((await closed.count()) > 0) await closed.first().click()
}

const linksSchema = z.array(z.object({ href: z.string(), name: z.string() }))

const linksOf = async (page: Page) =>
  linksSchema.parse(
    await page.evaluate(`[...document.querySelectorAll('main a[data-item], main .need h2 a')].map((one) => ({
      href: one.getAttribute('href'),
      name: (one.querySelector('strong, .path') ?? one).textContent,
    }))`),
  )

/** Why what is shown is not what the link says. */
async function unopened(page: Page, view: string, name: string): Promise<string[]> {
  const shown = await asked(
    page,
    `[...document.querySelectorAll('.fault, .nothing, .quiet')].map((one) => one.textContent)
      .filter((text) => /Nobody of this name|Nothing is known|There is no|not found|Nobody holds|does not wait/i.test(text))`,
  )
  const title = async (place: string) => (await page.locator(place).textContent()) ?? ''
  if (view === 'agents' && (await title('h1')) !== name) shown.push(`is ${await title('h1')}`)
  if (view === 'files' && !(await title('.letter h2')).endsWith(name)) shown.push('is another file')
  if (view === 'messages') await page.locator('.letter h2').waitFor()
  return shown
}
