/** A real Chromium without network or scripts, spoken to over a pipe: it ends with us, whatever ends us. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import * as z from 'zod'
import { pathOf } from '../../parts.ts'
import { removeFolder } from '../../server-process.ts'
import { type Picture, readPng } from './png.ts'

const answerSchema = z.object({
  id: z.int().optional(),
  method: z.string().optional(),
  sessionId: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
})
type Answer = z.infer<typeof answerSchema>

/** Generous: a busy machine may take long over a large page. */
const patienceMs = 120_000

export interface Screen {
  width: number
  height: number
  isDark: boolean
}

export class Chromium {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #toBrowser: Writable
  readonly #waiting = new Set<{ isIt(answer: Answer): boolean; take(answer: Answer): void }>()
  #last = 0
  #session = ''
  #rest = ''

  private constructor(folder: string) {
    this.#folder = folder
    this.#process = spawn(
      pathOf('chromium'),
      [
        '--headless=new',
        '--remote-debugging-pipe',
        '--no-sandbox', // root must do without; nothing but our own pages is opened
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--no-default-browser-check',
        '--hide-scrollbars',
        '--force-device-scale-factor=1',
        '--host-resolver-rules=MAP * ~NOTFOUND',
        `--user-data-dir=${folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    )
    const [, , , toBrowser, fromBrowser] = this.#process.stdio
    this.#toBrowser = toBrowser as Writable
    this.#toBrowser.on('error', () => {}) // it is gone: whoever waits for an answer is told
    const answers = fromBrowser as Readable
    answers.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
  }

  static async start(folder: string): Promise<Chromium> {
    const browser = new Chromium(folder)
    const { targetId } = await browser.#ask('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.#ask('Target.attachToTarget', { targetId, flatten: true })
    browser.#session = String(sessionId)
    await browser.#ask('Page.enable')
    await browser.#ask('Emulation.setScriptExecutionDisabled', { value: true })
    return browser
  }

  /** What it paints of a page on this screen. */
  async picture(html: string, { width, height, isDark }: Screen): Promise<Picture> {
    await this.#ask('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    })
    const value = isDark ? 'dark' : 'light'
    await this.#ask('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value }],
    })
    const loaded = this.#hearing(
      'Page.loadEventFired',
      ({ method }) => method === 'Page.loadEventFired',
    )
    const data = Buffer.from(html).toString('base64')
    await this.#ask('Page.navigate', { url: `data:text/html;charset=utf-8;base64,${data}` })
    await loaded
    const shot = await this.#ask('Page.captureScreenshot', {
      format: 'png',
      optimizeForSpeed: true,
    })
    return readPng(Buffer.from(String(shot.data), 'base64'))
  }

  /** The names of all properties of CSS that it knows. */
  async properties(): Promise<string[]> {
    const expression = `JSON.stringify((() => {
      const names = [...getComputedStyle(document.documentElement)]
      for (const name in document.documentElement.style) names.push(name)
      const dashed = names.map((name) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase()).replace(/^webkit-/, '-webkit-'))
      return [...new Set(dashed)].filter((name) => CSS.supports(name, 'inherit')).sort()
    })())`
    const { result } = await this.#ask('Runtime.evaluate', { expression })
    const { value } = z.object({ value: z.string() }).parse(result)
    return z.array(z.string()).parse(JSON.parse(value))
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve))
    const { pid, exitCode, signalCode } = this.#process
    if (pid !== undefined && exitCode === null && signalCode === null) {
      process.kill(-pid, 'SIGKILL') // with all that it has started
      await gone
    }
    removeFolder(this.#folder)
  }

  async #ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#last
    const answer = this.#hearing(method, (heard) => heard.id === id)
    const sessionId = this.#session === '' ? {} : { sessionId: this.#session }
    this.#toBrowser.write(`${JSON.stringify({ id, method, params, ...sessionId })}\0`)
    const { result = {}, error } = await answer
    if (error) throw new Error(`Chromium: ${method}: ${error.message}`)
    return result
  }

  #hearing(what: string, isIt: (answer: Answer) => boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
        this.#process.off('exit', gone)
        act()
      }
      const waiter = { isIt, take: (answer: Answer) => end(() => resolve(answer)) }
      const gone = () => end(() => reject(new Error(`Chromium has ended before ${what}`)))
      const late = () => end(() => reject(new Error(`Chromium: no ${what} in ${patienceMs} ms`)))
      const timer = setTimeout(late, patienceMs)
      this.#process.once('exit', gone)
      this.#waiting.add(waiter)
    })
  }

  #hear(text: string): void {
    const messages = (this.#rest + text).split('\0')
    this.#rest = messages.pop() ?? ''
    for (const message of messages) {
      const answer = answerSchema.parse(JSON.parse(message))
      for (const waiter of this.#waiting) if (waiter.isIt(answer)) waiter.take(answer)
    }
  }
}
