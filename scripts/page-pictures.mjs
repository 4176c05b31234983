/** Draws the pictures of the page for the README: the demo's day in Chromium, into docs/pictures/. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import { ensure, root } from './ensure.mjs'
import { palettePng } from './palette-png.mjs'

const wide = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }
const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }
const pictures = [
  { name: 'needs', view: 'needs', look: wide },
  { name: 'approvals', view: 'approvals', look: wide },
  { name: 'timeline', view: 'timeline', look: wide },
  { name: 'agents', view: 'agents', look: wide },
  { name: 'messages', view: 'messages', look: wide, opens: 'told apart by case' },
  { name: 'needs-narrow', view: 'needs', look: narrow },
]
const mostBytes = 150 * 1024

await ensure()
const home = mkdtempSync(join(tmpdir(), 'agentmail-pictures-'))
const folder = join(root, 'docs/pictures')
mkdirSync(folder, { recursive: true })
const demo = spawn(
  process.execPath,
  [join(root, 'dist/agentmail.cjs'), 'demo', '--page', '--still', '--json', '--port', '0'],
  { cwd: home, env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' } },
)
const browser = await chromium.launch({
  executablePath: programPath('chromium'),
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
})
try {
  const url = await startOf(demo)
  for (const picture of pictures) await draw(url, picture)
} finally {
  await browser.close()
  demo.kill()
  await new Promise((resolve) => demo.once('close', resolve))
  rmSync(home, { recursive: true, force: true })
}

async function draw(url, { name, view, look, opens }) {
  const context = await browser.newContext({ ...look, locale: 'en-GB', deviceScaleFactor: 1 })
  const page = await context.newPage()
  await page.goto(`${url}/#/*/${view}`)
  await page.locator('.connection.live').waitFor()
  if (opens) await page.locator('.rows a', { hasText: opens }).click()
  await page.waitForLoadState('networkidle').catch(() => {}) // the stream never ends
  await page.locator('main .loading').waitFor({ state: 'detached' })
  const image = await packed(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  writeFileSync(join(folder, `${name}.png`), image)
  console.log(`docs/pictures/${name}.png  ${(image.length / 1024).toFixed(0)} KB`)
  if (image.length > mostBytes) throw new Error(`${name}.png is larger than 150 KB`)
  await context.close()
}

/** The browser itself tells the pixels of a picture. */
async function packed(image) {
  const page = await browser.newPage()
  const { width, height, pixels } = await page.evaluate(`(async () => {
    const image = await createImageBitmap(
      await (await fetch('data:image/png;base64,${image.toString('base64')}')).blob(),
    )
    const { width, height } = image
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    let text = ''
    for (let at = 0; at < data.length; at += 8192) {
      text += String.fromCharCode(...data.subarray(at, at + 8192))
    }
    return { width, height, pixels: btoa(text) }
  })()`)
  await page.close()
  return palettePng(Buffer.from(pixels, 'base64'), width, height)
}

function startOf(child) {
  return new Promise((resolve, reject) => {
    let [out, errors] = ['', '']
    child.stderr.on('data', (text) => {
      errors += text
    })
    child.stdout.on('data', (text) => {
      out += text
      const line = /^\{"event":"started".*\}$/m.exec(out)?.[0]
      if (line) resolve(JSON.parse(line).url)
    })
    child.once('close', () => reject(new Error(`The demo did not start: ${errors}`)))
  })
}

function programPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const path = folders.map((one) => join(one, name)).find((one) => existsSync(one))
  if (!path) throw new Error(`${name} is not installed`)
  return path
}
