/** A page of another site that tries all it can do to the server of somebody who looks at it. */
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import * as z from 'zod'
import { listening } from '../listening.ts'

export interface Attempt {
  method: 'GET' | 'POST'
  /** Behind /api/page. */
  path: string
  body?: object
}

/** Gives its host and port; it answers under every name of this machine. */
export const otherSite = (): Promise<string> =>
  listening(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Free money')
    }),
  )

const told = z.object({
  /** What could be read, which must be nothing. */
  read: z.array(z.string()),
  tried: z.number(),
})

/** @param victim the address of the server. @param attempts what its own page does with a right. */
export async function attack(
  page: Page,
  victim: string,
  attempts: Attempt[],
): Promise<z.infer<typeof told>> {
  const given = JSON.stringify({ victim, attempts })
  return told.parse(await page.evaluate(`(${script})(${given})`))
}

/** Runs in the browser. Each try ends by itself, or after a while. */
const script = `async ({ victim, attempts }) => {
  const read = []
  let tried = 0
  const soon = (work, ms = 5000) => {
    tried++
    const late = new Promise((resolve) => setTimeout(resolve, ms))
    return Promise.race([Promise.resolve().then(work).catch(() => {}), late])
  }
  const note = (what, text) => { if (text) read.push(what + ': ' + text) }
  const byFetch = ({ method, path, body }) => {
    const text = method === 'POST' ? JSON.stringify(body ?? {}) : undefined
    const kinds = [
      { mode: 'cors', headers: {} },
      { mode: 'no-cors', headers: {} },
      ...['application/json', 'text/plain', 'application/x-www-form-urlencoded'].flatMap((type) =>
        ['cors', 'no-cors'].map((mode) => ({ mode, headers: { 'content-type': type } }))),
      { mode: 'cors', headers: { 'content-type': 'application/json', 'x-agentmail-page': 'x' } },
      { mode: 'cors', headers: { 'content-type': 'application/json', authorization: 'Bearer x' } },
    ]
    return kinds.map(({ mode, headers }) => soon(async () => {
      const init = { method, mode, headers, credentials: 'include', keepalive: method === 'POST' }
      const answer = await fetch(victim + '/api/page' + path, { ...init, body: text })
      note('fetch ' + mode + ' ' + path, await answer.text())
    }))
  }
  const settledElement = (name, set) => soon(() => new Promise((resolve) => {
    const element = document.createElement(name)
    element.onload = element.onerror = () => resolve()
    set(element)
    document.body.append(element)
  }), 1500)
  const byElement = ({ path }) => {
    const address = victim + '/api/page' + path
    return [
      settledElement('img', (one) => { one.src = address; one.crossOrigin = 'use-credentials' }),
      settledElement('img', (one) => { one.src = address }),
      settledElement('script', (one) => { one.src = address }),
      settledElement('link', (one) => { one.rel = 'stylesheet'; one.href = address }),
      settledElement('object', (one) => { one.data = address }),
      settledElement('video', (one) => { one.src = address }),
      soon(() => new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.onload = () => {
          try { note('frame ' + path, frame.contentDocument.body.textContent) } catch {}
          resolve()
        }
        frame.src = address
        document.body.append(frame)
      })),
      soon(() => new Promise((resolve) => {
        const stream = new EventSource(address, { withCredentials: true })
        stream.onmessage = ({ data }) => note('stream', data)
        for (const name of ['hello', 'entry', 'hint']) stream.addEventListener(name, ({ data }) => note('stream', data))
        stream.onerror = () => { stream.close(); resolve() }
      })),
      soon(() => new Promise((resolve) => {
        const socket = new WebSocket(address.replace('http', 'ws'))
        socket.onopen = () => note('socket', 'open')
        socket.onmessage = ({ data }) => note('socket', data)
        socket.onclose = () => resolve()
      })),
    ]
  }
  const byForm = ({ path, body }) => ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((enctype) =>
    soon(() => new Promise((resolve) => {
      const frame = document.createElement('iframe')
      frame.name = 'frame' + tried
      document.body.append(frame)
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', enctype, action: victim + '/api/page' + path, target: frame.name })
      const input = document.createElement('input')
      // As text this is JSON.
      input.name = JSON.stringify(body ?? {}).replace(/}$/, (body ? ',' : '') + '"x":"')
      input.value = '"}'
      form.append(input)
      document.body.append(form)
      frame.onload = () => {
        try { note('form ' + path, frame.contentDocument.body.textContent) } catch {}
        resolve()
      }
      form.submit()
      setTimeout(resolve, 1000)
    })))
  const byBeacon = ({ path, body }) => [soon(() => navigator.sendBeacon(victim + '/api/page' + path, new Blob([JSON.stringify(body ?? {})], { type: 'text/plain' })))]
  for (const attempt of attempts) {
    await Promise.all([
      ...byFetch(attempt),
      ...(attempt.method === 'GET' ? byElement(attempt) : [...byForm(attempt), ...byBeacon(attempt)]),
    ])
    document.body.replaceChildren()
  }
  for (const path of ['/', '/page.js', '/login', '/login.js']) {
    await settledElement('iframe', (one) => { one.src = victim + path })
    await settledElement('script', (one) => { one.src = victim + path })
    await soon(async () => note(path, await (await fetch(victim + path, { credentials: 'include' })).text()))
  }
  return { read, tried }
}`
