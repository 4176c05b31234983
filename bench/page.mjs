/** B12: how soon the page shows what happens, what it weighs, and what it costs while nothing happens. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { cleanEnv, median, p99 } from './measure.mjs'
import { letter } from './servers.mjs'

const events = 200
const warmUps = 20
/** They come at any moment, also when the page has just asked for others. */
const longestPauseMs = 600
const idleAgents = 10
const waitSeconds = 50
const idleMs = 30_000

const chromiumPath = cleanEnv.PATH?.split(delimiter)
  .map((folder) => join(folder, 'chromium'))
  .find((path) => existsSync(path))

/** Where there is no Chromium, what it weighs alone. */
export async function pageRows(start) {
  const server = await start.agentmail('page')
  const weight = await weightRow(server)
  if (!chromiumPath) return [weight]
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath: chromiumPath, args, env: cleanEnv })
  try {
    const page = await browser.newPage()
    await page.goto(`${server.url}#/*/messages`)
    await page.locator('.connection.live').waitFor()
    return [...(await screenRows(server, page)), weight, await idleRow(server)]
  } finally {
    await browser.close()
  }
}

/** From the moment at which it is sent to the first frame after it was put on the page, and after its event came. */
async function screenRows(server, page) {
  let onSeen = () => {}
  await page.exposeBinding('seen', (_, how, subject) => onSeen(how, subject, performance.now()))
  await page.evaluate(`{
    const inFrame = (how, subject) => requestAnimationFrame(() => seen(how, subject))
    new MutationObserver(() => {
      const line = document.querySelector('.line.message .one-line')?.textContent
      if (line) inFrame('shown', line.split(' – ')[0])
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
    new EventSource('/api/page/events').addEventListener('entry', ({ data }) => {
      inFrame('heard', JSON.parse(data).message?.subject)
    })
  }`)
  const agent_id = await server.register('writer')
  const [shown, heard] = [[], []]
  for (let event = -warmUps; event < events; event++) {
    await sleep(Math.random() * longestPauseMs)
    const subject = `Event ${event}`
    const at = {}
    const isSeen = new Promise((resolve) => {
      onSeen = (how, text, now) => {
        if (text === subject) at[how] ??= now
        if (at.shown && at.heard) resolve()
      }
    })
    const sentAt = performance.now()
    await server.call('send_message', { agent_id, ...letter, subject })
    await isSeen
    if (event < 0) continue
    shown.push(at.shown - sentAt)
    heard.push(at.heard - sentAt)
  }
  const row = (part, of) => ({
    id: 'B12',
    what: `\`send_message\` until the message is on the screen of the page, ${part}`,
    value: of(shown),
    base: `until its event is in the same browser, ${part}`,
    baseValue: of(heard),
    valueAtMost: 200,
  })
  return [row('p50', median), row('p99', p99)]
}

/** All that a browser fetches to show it. */
async function weightRow(server) {
  let bytes = 0
  for (const path of ['/', '/page.js', '/page.css']) {
    const { headers } = await fetch(new URL(path, server.url), { headers: { accept: 'text/html' } })
    if (headers.get('content-encoding') !== 'gzip') throw new Error(`${path} was not packed`)
    bytes += Number(headers.get('content-length'))
  }
  return {
    id: 'B12',
    what: 'weight of the page, `/`, `/page.js` and `/page.css`, gzipped',
    value: bytes / 1024,
    ...{ base: 'allowed', baseValue: 45, unit: 'KB', atMost: 1 },
  }
}

/** With the page that is open, and agents that wait for messages. */
async function idleRow(server) {
  const agents = []
  while (agents.length < idleAgents) agents.push(await server.register(`agent-${agents.length}`))
  const { message_id } = await server.call('send_message', { agent_id: agents[0], ...letter })
  const waits = agents.map((agent_id) =>
    server.call('read_messages', { agent_id, after_id: message_id, wait_seconds: waitSeconds }),
  )
  await sleep(5000)
  const [before, started] = [server.cpuMs(), performance.now()]
  await sleep(idleMs)
  const part = (server.cpuMs() - before) / (performance.now() - started)
  await server.call('send_message', { agent_id: agents[0], ...letter })
  await Promise.all(waits)
  return {
    id: 'B12',
    what: `CPU of the server, of one core, the page open and ${idleAgents} agents waiting`,
    value: part * 100,
    ...{ base: 'allowed', baseValue: 1, unit: '%', atMost: 1 },
  }
}
