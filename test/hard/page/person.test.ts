/** The person speaks on the page, in a real browser: answers, writes to whoever has a mailbox alone, marks as read, and releases what an agent holds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../../support/agentmail.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { gone, patience, press, said } from '../../support/page/approvals.ts'
import { settled, sharedBrowser } from '../../support/page/browser.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const readSchema = z.object({
  messages: z.array(z.object({ sender_name: z.string(), body: z.string() })),
})

/** A server in a repository, with an agent called bob. */
async function scene() {
  const folder = temporaryFolder()
  const cwd = repository()
  const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state') }
  const server = await TestServer.start({ env, cwd })
  const bob = await server.register('bob')
  const say = (channel: string, text: string, agent_id = bob) =>
    server.call('send_message', { agent_id, channel, subject: text, body: text })
  const unread = async (agent_id = bob) => {
    const answer = await server.call('read_messages', { agent_id, unread: true })
    return readSchema.parse(answer.structuredContent).messages
  }
  /** As one who has a mailbox there, and is registered nowhere. */
  const paula = (...args: string[]) =>
    agentmail(args, { cwd, env: { ...env, AGENTMAIL_AGENT: 'paula' } })
  return { server, bob, say, unread, paula, cwd, url: server.url }
}

const claimsSchema = z.object({
  claims: z.array(z.object({ file_path: z.string(), holder_name: z.string() })),
})

async function holders(server: TestServer): Promise<[string, string][]> {
  const { structuredContent } = await server.call('get_file_claims')
  const { claims } = claimsSchema.parse(structuredContent)
  return claims.map(({ file_path, holder_name }) => [file_path, holder_name])
}

const needs = (page: Page) => page.getByLabel('What needs you').locator('li.card')

describeWith('chromium', 'the person on the page', () => {
  const browser = sharedBrowser()

  it('answers under Needs you, and keeps what was typed where it could not be sent', async () => {
    const { server, say, unread, url } = await scene()
    await say('@human', 'Which port?')
    const { page } = await browser.open(`${url}/#/*/needs`)
    const card = needs(page).filter({ hasText: 'Which port?' })
    await press(card, 'Answer')
    const text = card.getByRole('textbox')
    await text.fill('8391, I think.')
    await page.route('**/api/page/reply', (route) => route.abort())
    await press(card, 'Send')
    await said(page, 'The server does not answer, so nobody knows whether it was done.')
    expect(await text.inputValue()).toBe('8391, I think.')
    await page.unroute('**/api/page/reply')
    await text.press('Control+Enter')
    await said(page, 'Sent.')
    await gone(card)
    expect(await unread()).toMatchObject([{ sender_name: 'human', body: '8391, I think.' }])
    await say('@human', 'And the host?')
    const next = needs(page).filter({ hasText: 'And the host?' })
    await press(next, 'Answer')
    await next.getByRole('textbox').fill('Kept?')
    await server.stop()
    await page.getByText('no connection, trying again').waitFor(patience)
    await press(next, 'Send')
    await said(page, 'The server does not answer, so nobody knows whether it was done.')
    expect(await next.getByRole('textbox').inputValue()).toBe('Kept?')
  })

  it('marks as read what needs no answer', async () => {
    const { say, url } = await scene()
    await say('@human', 'For your information')
    await say('@human', 'A question')
    const { page } = await browser.open(`${url}/#/*/needs`)
    const card = needs(page).filter({ hasText: 'For your information' })
    await press(card, 'Mark as read')
    await gone(card)
    expect(await needs(page).count()).toBe(1)
    expect(await page.title()).toContain('1')
  })

  it('answers a message where it stands', async () => {
    const { server, say, unread, url } = await scene()
    const kim = await server.register('kim')
    await say('broadcast', 'Who has seen the key?', kim)
    await unread()
    const { page } = await browser.open(`${url}/#/*/messages`)
    await page.getByLabel('Messages', { exact: true }).getByText('Who has seen the key?').click()
    const letter = page.locator('article.letter')
    await press(letter, 'Answer')
    await letter.getByRole('textbox').fill('I have.')
    await press(letter, 'Send')
    await said(page, 'Sent.')
    expect(await unread(kim)).toMatchObject([{ sender_name: 'human', body: 'I have.' }])
  })

  it('writes to one who has a mailbox alone: it is in its file', async () => {
    const { paula, cwd, url } = await scene()
    expect(await paula('recipients')).toMatchObject({ exitCode: 0 })
    const { page } = await browser.open(`${url}/#/*/messages`)
    await settled(page)
    await press(page, 'Write')
    const to = page.getByRole('combobox', { name: 'To', exact: true })
    await expect.poll(() => to.getByRole('option').allTextContents(), patience).toContain('paula')
    await to.selectOption('@paula')
    await page.getByRole('textbox', { name: /Message to @paula/ }).fill('By hand.')
    await press(page, 'Send')
    await said(page, /^Sent\./)
    const file = readFileSync(join(cwd, '.agentmail/mailboxes/paula.jsonl'), 'utf8')
    expect(JSON.parse(file)).toMatchObject({ from: 'human', to: 'paula', message: 'By hand.' })
    expect((await paula('receive')).stdout).toContain('By hand.')
    const row = page.getByLabel('Messages', { exact: true }).getByRole('listitem').first()
    await expect.poll(() => row.textContent(), patience).toMatch(/@paula.*read.*By hand\./)
  })
})

describeWith('chromium', 'a claim that the person releases', () => {
  const browser = sharedBrowser()

  it('is asked for by the name of its holder, who is told, and stands in its history', async () => {
    const { server, bob, unread, url } = await scene()
    await server.call('claim_files', { agent_id: bob, files: ['src/a.ts', 'src/b.ts'] })
    const { page } = await browser.open(`${url}/#/*/files`)
    await page.getByRole('link', { name: /a\.ts/ }).click(patience)
    const file = page.locator('article.letter')
    await press(file, 'Release…')
    const dialog = page.getByRole('dialog', { name: 'Release what bob holds?' })
    await dialog.getByText('src/a.ts').waitFor(patience)
    await press(dialog, 'Keep it')
    await gone(dialog)
    await press(file, 'Release…')
    await page.keyboard.press('Escape')
    await gone(dialog)
    await press(file, 'Release…')
    await press(dialog, 'Release it from bob')
    await said(page, 'Released. bob has been told.')
    await file.getByText('Nobody holds it now.').waitFor(patience)
    const [newest] = await file.locator('.history li').allTextContents()
    expect(newest).toContain('released')
    const [letter] = await unread()
    expect(letter).toMatchObject({ sender_name: 'human' })
    expect(letter?.body).toContain('has released your claim on src/a.ts')
    expect(await holders(server)).toEqual([['src/b.ts', 'bob']])
  })

  it('is refused in words where another holds it by then', async () => {
    const { server, bob, unread, url } = await scene()
    const kim = await server.register('kim')
    await server.call('claim_files', { agent_id: bob, files: ['src/a.ts'] })
    const { page } = await browser.open('about:blank')
    await page.route('**/api/page/events*', (route) => route.abort())
    await page.goto(`${url}/#/*/files`)
    await page.getByRole('link', { name: /a\.ts/ }).click(patience)
    await press(page.locator('article.letter'), 'Release…')
    await server.call('release_files', { agent_id: bob, files: ['src/a.ts'] })
    await server.call('claim_files', { agent_id: kim, files: ['src/a.ts'] })
    await press(page.getByRole('dialog'), 'Release it from bob')
    await said(page, /^src\/a\.ts is held by kim now\nNothing was released/)
    expect(await unread()).toEqual([])
    expect(await holders(server)).toEqual([['src/a.ts', 'kim']])
  })
})
