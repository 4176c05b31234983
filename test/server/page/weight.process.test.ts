/** What the page weighs on its way to a browser, and that nothing of it comes from elsewhere. */
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../support/agentmail.ts'
import { sharedServer } from '../../support/server/server.ts'

const most = 45 * 1024
const folder = join(root, 'dist/page')

/** The bytes of a body as they come, packed as browsers ask for it. */
function sent(url: string, path: string): Promise<Buffer> {
  const headers = { 'accept-encoding': 'gzip, deflate, br', accept: 'text/html' }
  return new Promise((resolve, reject) => {
    const asking = request(`${url}${path}`, { agent: false, headers }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('end', () =>
        reply.statusCode === 200 && reply.headers['content-encoding'] === 'gzip'
          ? resolve(Buffer.concat(parts))
          : reject(new Error(`${path} came with ${reply.statusCode}, and not packed`)),
      )
    })
    asking.on('error', reject)
    asking.end()
  })
}

describe('the page', () => {
  const server = sharedServer()

  it('weighs at most 45 KB, whole and packed', async () => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
    const files = named.filter((path) => !path.startsWith('data:'))
    expect(files.sort()).toEqual(['/page.css', '/page.js'])
    const sizes = await Promise.all(
      ['/', ...files].map(async (path) => (await sent(server().url, path)).length),
    )
    const all = sizes.reduce((sum, size) => sum + size)
    console.log(`the page weighs ${(all / 1024).toFixed(1)} KB`)
    expect(all).toBeLessThanOrEqual(most)
  })

  it.each(readdirSync(folder))('names no address of elsewhere in %s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const addresses = text.match(/\b(?:https?|wss?):\/\/[^\s"'`)<]*|(?<=["'`(])\/\/[\w.-]+\.\w/g)
    const others = addresses?.filter((one) => !one.startsWith('http://www.w3.org/'))
    expect(others ?? []).toEqual([])
    expect(text).not.toMatch(/\bimport\(|@import|sourceMappingURL/)
  })
})
