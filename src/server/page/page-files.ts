/** The built files of the page. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { sendText } from '../http-exchange.ts'

const types: Record<string, string> = {
  '/': 'text/html; charset=utf-8',
  '/page.js': 'text/javascript; charset=utf-8',
  '/page.css': 'text/css; charset=utf-8',
}

export const isPageFile = (path: string): boolean => Object.hasOwn(types, path)

export function sendPageFile(response: ServerResponse, path: string): void {
  const name = path === '/' ? 'index.html' : path.slice(1)
  const text = readFileSync(join(import.meta.dirname, 'page', name), 'utf8')
  sendText(response, 200, text, { 'content-type': types[path] ?? '' })
}
