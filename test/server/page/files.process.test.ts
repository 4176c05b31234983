/** The files of the page: packed where that is taken, and not sent again to whoever has them. */
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask } from '../../support/server/http.ts'
import { sharedServer } from '../../support/server/server.ts'

const server = sharedServer()
const paths = ['/', '/page.js', '/page.css', '/login.js']

/** The bytes as they come. */
const bytesOf = (path: string, headers: Record<string, string>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const asking = request(`${server().url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks)))
    })
    asking.on('error', reject)
    asking.end()
  })

describe('a file of the page', () => {
  it('is packed for whoever takes that, and for nobody else', async () => {
    for (const path of paths) {
      const plain = await bytesOf(path, {})
      for (const accepted of ['gzip', 'br, GZIP;q=0.5', '*', 'deflate, gzip ;q=1.0']) {
        const headers = { 'accept-encoding': accepted }
        const packed = await ask(server().url, { path, headers })
        expect(packed.headers['content-encoding'], `${path} ${accepted}`).toBe('gzip')
        expect(packed.headers.vary).toBe('accept-encoding')
        expect(gunzipSync(await bytesOf(path, headers))).toEqual(plain)
      }
      for (const accepted of ['', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.000', 'xgzip']) {
        const reply = await ask(server().url, { path, headers: { 'accept-encoding': accepted } })
        expect(reply.headers, `${path} ${accepted}`).not.toHaveProperty('content-encoding')
        expect(Buffer.from(reply.text)).toEqual(plain)
      }
    }
  })

  it('is not sent again to whoever has it, packed or not', async () => {
    for (const path of paths) {
      const etags: unknown[] = []
      for (const accepted of ['gzip', 'identity']) {
        const headers = { 'accept-encoding': accepted }
        const { headers: first } = await ask(server().url, { path, headers })
        expect(first['cache-control']).toBe('no-cache')
        etags.push(first.etag)
        for (const known of [`${first.etag}`, `W/${first.etag}`, `"x", ${first.etag}`, '*']) {
          const again = { ...headers, 'if-none-match': known }
          const reply = await ask(server().url, { path, headers: again })
          expect({ known, status: reply.status, text: reply.text }).toEqual({
            ...{ known, status: 304, text: '' },
          })
          expect(reply.headers.etag).toBe(first.etag)
        }
        const other = { ...headers, 'if-none-match': '"x"' }
        expect((await ask(server().url, { path, headers: other })).status).toBe(200)
      }
      expect(new Set(etags).size).toBe(2)
    }
  })

  it('has a head, and takes no other method', async () => {
    for (const path of paths) {
      const get = await ask(server().url, { path })
      const head = await ask(server().url, { path, method: 'HEAD' })
      expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
      for (const name of ['content-length', 'content-type', 'etag'])
        expect(head.headers[name]).toBe(get.headers[name])
      const reply = await ask(server().url, { path, method: 'DELETE' })
      expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('is one of four: nothing else that was built is there', async () => {
    for (const path of ['/login.html', '/index.html', '/agentmail.cjs', '/page', '/page.js/x'])
      expect((await ask(server().url, { path })).status, path).toBe(404)
  })
})
