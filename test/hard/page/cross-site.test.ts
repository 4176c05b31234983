/** Pages of other sites in a real browser, against the server of somebody who has its page open: they change nothing and read nothing. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { cardOf, openApprovals, patience, press, said } from '../../support/page/approvals.ts'
import { sharedBrowser } from '../../support/page/browser.ts'
import { type Attempt, attack, otherSite } from '../../support/page/other-site.ts'
import { describeWith } from '../../support/parts.ts'
import { PageDesk } from '../../support/server/page-desk.ts'

const token = 'the-token-of-the-sites'
const path = 'Drafts/a.md'

/** A draft, an agent with a claim, and a message: something to lose. */
async function scene(env: Record<string, string> = {}) {
  const desk = await PageDesk.open([], env)
  const fields = { status: 'pending_approval', to: 'jane@example.com', subject: 'Hi' }
  desk.home.draft(path, fields, 'A secret text.\n')
  const { sha256, etag } = await desk.draft(path)
  return { desk, sha256, etag }
}

/** All that the page itself may ask and do. */
const attempts = ({ sha256, etag, agent_id }: Record<string, unknown>): Attempt[] => {
  const reads = [
    ...['', '/needs', '/agents', '/messages', '/channels', '/claims', '/journal', '/drafts'],
    ...[`/draft?path=${path}`, `/received?path=${path}`, '/mail', '/setup', '/events'],
    ...['/search?words=secret', '/message?project=default&id=1', '/file?project=default&path=a.ts'],
    `/attachment?path=${path}&index=0&sha256=${sha256}`,
  ]
  const texts = { to: 'eve@example.net', cc: '', bcc: '', subject: 'Hi', body: 'Eve was here' }
  const writes: [string, object][] = [
    ['/approve', { path, sha256 }],
    ['/reject', { path, sha256, reason: 'Eve' }],
    ['/edit', { path, etag, ...texts }],
    ['/delegate', { path, sha256, agent: 'bob' }],
    ['/settle', { id: 'x', outcome: 'sent' }],
    ['/send', { project: 'default', channel: 'broadcast', text: 'Eve' }],
    ['/reply', { project: 'default', id: '1', text: 'Eve' }],
    ['/read', { project: 'default', ids: ['1'] }],
    ['/release', { project: 'default', path: 'a.ts', agent_id: String(agent_id) }],
    ['/name', { name: 'Eve' }],
    ['/test', {}],
    ['/logout', {}],
  ]
  return [
    ...reads.map((one): Attempt => ({ method: 'GET', path: one })),
    ...writes.map(([one, body]): Attempt => ({ method: 'POST', path: one, body })),
  ]
}

/** Every file of the vault, and what the server says of everything else. */
async function stateOf(desk: PageDesk): Promise<Record<string, string>> {
  const { root } = desk.home
  const files = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, name)).isFile())
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(root, name)))
        .digest('hex'),
    ])
  const asked = ['/messages', '/claims', '/needs', '/mail', '/journal']
  const answers = await Promise.all(
    asked.map(async (one) => [one, JSON.stringify(await desk.get(one))]),
  )
  return Object.fromEntries([...files, ...answers])
}

/** What the server said to the calls of another page. */
function statusesAt(page: Page, victim: string): Map<string, number> {
  const statuses = new Map<string, number>()
  page.context().on('response', (response) => {
    const address = response.url()
    const isOwn = response.frame().url().startsWith(victim)
    if (!isOwn && address.startsWith(`${victim}/api/page`)) {
      statuses.set(`${response.request().method()} ${address}`, response.status())
    }
  })
  return statuses
}

describeWith('chromium', 'a page of another site', () => {
  const browser = sharedBrowser()

  it.each([
    ['another port of the same host', '127.0.0.1'],
    ['another host name of the same machine', 'localhost'],
  ])('reads nothing and changes nothing: %s', { timeout: 180_000 }, async (_, host) => {
    const { desk, sha256, etag } = await scene()
    const agent_id = await desk.server.register('bob')
    await desk.server.call('claim_files', { agent_id, files: ['a.ts'] })
    const site = (await otherSite()).replace('127.0.0.1', host)
    const { url } = desk.server
    const { page } = await openApprovals(browser, desk, path)
    const card = await cardOf(page, path)
    const before = await stateOf(desk)
    const evil = await page.context().newPage()
    await evil.goto(`http://${site}/`)
    const statuses = statusesAt(evil, url)
    const { read, tried } = await attack(evil, url, attempts({ sha256, etag, agent_id }))
    expect(read).toEqual([])
    expect(tried).toBeGreaterThan(300)
    expect(statuses.size).toBeGreaterThan(20)
    expect([...statuses].filter(([, status]) => ![401, 403, 405].includes(status))).toEqual([])
    // Of what it has framed nothing is there.
    expect(evil.frames().filter((frame) => frame.url().startsWith(url))).toEqual([])
    expect(await stateOf(desk)).toEqual(before)
    // The person was not put out, either.
    await press(card, 'Approve')
    await said(page, 'Approved: Hi')
    expect(desk.verdicts()).toHaveLength(1)
  })

  it('gets no hold of a window that it opens', async () => {
    const { desk } = await scene()
    const site = await otherSite()
    const { page } = await browser.open(`http://${site}/`)
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(
        `document.body.onclick = () => { window.own = open(${JSON.stringify(`${desk.server.url}/#/*/approvals`)}) }`,
      ),
      page.locator('body').click({ position: { x: 5, y: 5 } }),
    ])
    await cardOf(opened, path)
    expect(await page.evaluate('window.own.closed')).toBe(true)
    expect(await opened.evaluate('window.opener')).toBe(null)
    await page.evaluate(
      `for (const data of ['approve', { path: '${path}' }]) own.postMessage(data, '*')`,
    )
    await page.evaluate("own.location = 'about:blank'").catch(() => {})
    await cardOf(opened, path)
    expect(desk.verdicts()).toEqual([])
  })

  it('is what the page itself is not: its own calls are answered', async () => {
    const { desk, sha256, etag } = await scene()
    const agent_id = await desk.server.register('bob')
    await desk.server.call('claim_files', { agent_id, files: ['a.ts'] })
    const { page } = await openApprovals(browser, desk, path)
    const own = attempts({ sha256, etag, agent_id }).filter((one) => one.path !== '/events')
    const statuses = await page.evaluate(`(async (attempts) => {
      const { csrf } = await (await fetch('/api/page')).json()
      const statuses = []
      for (const { method, path, body } of attempts) {
        const headers = { 'content-type': 'application/json', 'x-agentmail-page': csrf }
        const init = method === 'POST' ? { method, headers, body: JSON.stringify(body) } : {}
        statuses.push([method + ' ' + path, (await fetch('/api/page' + path, init)).status])
      }
      return statuses
    })(${JSON.stringify(own)})`)
    const answered = z.array(z.tuple([z.string(), z.number()])).parse(statuses)
    expect(answered).toHaveLength(own.length)
    expect(answered.filter(([, status]) => [401, 403, 405].includes(status))).toEqual([])
    expect(desk.verdicts()).toMatchObject([{ event: 'approved', sha256 }])
  })
})

describeWith('chromium', 'a server with a token', () => {
  const browser = sharedBrowser()

  it('says nothing without a login, and records the name that was given there', async () => {
    const { desk, sha256, etag } = await scene({ AGENTMAIL_TOKEN: token })
    const { url } = desk.server
    const { page } = await browser.open(`${url}/#/*/approvals/${path}`)
    await page.getByLabel('Token').waitFor(patience)
    expect(await page.content()).not.toContain('secret')
    for (const { method, path: one, body } of attempts({ sha256, etag })) {
      const headers = { 'content-type': 'application/json' }
      const init = method === 'POST' ? { method, headers, data: body } : {}
      const answer = await page.request.fetch(`${url}/api/page${one}`, init)
      expect([one, answer.status()]).toEqual([one, 401])
    }
    expect(desk.verdicts()).toEqual([])
    await page.getByLabel('Token').fill(token)
    await page.getByLabel('Your name').fill('Zoë B.')
    await page.getByRole('button', { name: 'Log in' }).click()
    await press(await cardOf(page, path), 'Approve')
    await said(page, 'Approved: Hi')
    expect(desk.verdicts()).toMatchObject([{ event: 'approved', by: 'Zoë B.', sha256 }])
    const { frontmatter } = await desk.home.note('Approved/a.md')
    expect(frontmatter).toMatchObject({ approved_by: 'Zoë B.' })
  })

  it('is closed to another site though somebody is logged in', { timeout: 120_000 }, async () => {
    const { desk, sha256, etag } = await scene({ AGENTMAIL_TOKEN: token })
    const { url } = desk.server
    const { page } = await browser.open(`${url}/#/*/approvals/${path}`)
    await page.getByLabel('Token').fill(token)
    await page.getByLabel('Your name').fill('Zoë B.')
    await page.getByRole('button', { name: 'Log in' }).click()
    await cardOf(page, path)
    const evil = await page.context().newPage()
    await evil.goto(`http://${await otherSite()}/`)
    const some = attempts({ sha256, etag }).filter(({ path: one }) =>
      /^(|\/drafts|\/draft\?.*|\/approve|\/edit|\/logout)$/.test(one),
    )
    expect(await attack(evil, url, some)).toMatchObject({ read: [] })
    expect(desk.verdicts()).toEqual([])
    await press(await cardOf(page, path), 'Approve')
    await said(page, 'Approved: Hi')
  })
})
