/** The first question shows whether there is a server: where there is none, the work begins again on the database, and where one has answered it never does. */
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { ask, listOf } from '../../src/connection/acting.ts'
import { withConnection } from '../../src/connection/connect.ts'
import type { Connection } from '../../src/connection/connection.ts'
import { listening } from '../support/listening.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The settings of somebody whose database has a note that leads to this server. */
async function besideServer(answer: RequestListener): Promise<Config> {
  const data = temporaryFolder()
  const db = join(data, 'own.db')
  const url = `http://${await listening(createServer(answer))}`
  writeFileSync(`${db}.server`, JSON.stringify({ url, instance: 'one' }))
  const env = { AGENTMAIL_DB: db, XDG_DATA_HOME: data, AGENTMAIL_TOKEN: 'secret' }
  return new Config({}, { ...env, AGENTMAIL_PROJECT: 'shop' })
}

const claims = (connection: Connection) => ask(connection, 'get_file_claims', {})

describe('the first question of a command', () => {
  it('is all that is asked where it is harmless', async () => {
    const heard: string[] = []
    const config = await besideServer(async (request, response) => {
      heard.push(`${request.method} ${request.url} ${await text(request)}`)
      const here = Buffer.from(String(request.headers['agentmail-here']), 'base64url')
      expect(JSON.parse(here.toString())).toEqual({ project: 'shop' })
      response.writeHead(200, { 'agentmail-instance': 'one', 'agentmail-project': 'caf%C3%A9' })
      response.end('{"content":[],"structuredContent":{"claims":[],"has_more":false}}')
    })
    await withConnection(config, async (connection) => {
      expect(await claims(connection)).toEqual({ claims: [], has_more: false })
      expect(connection.project).toBe('café')
    })
    expect(heard).toEqual(['POST /api/call {"tool":"get_file_claims","arguments":{}}'])
  })

  it('is asked of the database where another program answers, which hears no token and nothing that is said', async () => {
    const heard: string[] = []
    const config = await besideServer(async (request, response) => {
      heard.push(`${request.headers.authorization} ${await text(request)}`)
      response.end('{"stale_seconds":120,"instance":"two","project":"shop"}')
    })
    expect(await withConnection(config, claims)).toEqual({ claims: [], has_more: false })
    await withConnection(config, async (connection) => {
      await connection.visit({ name: 'secret name', role: 'coder' })
      expect(await listOf(connection.agents())).toMatchObject([{ name: 'secret name' }])
    })
    expect(heard.join('\n')).not.toContain('secret')
    expect(heard.length).toBeGreaterThan(0)
  })

  it('is not asked again where a server has taken it', async () => {
    let runs = 0
    const config = await besideServer((request, response) => {
      if (request.url?.startsWith('/api/sent')) return void request.socket.destroy()
      response.writeHead(200, { 'agentmail-instance': 'one', 'agentmail-project': 'shop' })
      response.end('{"content":[],"structuredContent":{"claims":[]}}')
    })
    const lost = withConnection(config, async (connection) => {
      runs++
      await claims(connection)
      await connection.sent({ from: 'ann', limit: 20 })
    })
    await expect(lost).rejects.toMatchObject({ code: 'server_unreachable' })
    expect(runs).toBe(1)
  })

  it('finds its project before it is asked of a server of an older version', async () => {
    const heard: (string | undefined)[] = []
    const config = await besideServer(({ url, headers }, response) => {
      heard.push(`${url} ${headers.authorization ?? ''}`.trim())
      if (url === '/health') return void response.end('{"stale_seconds":120,"instance":"one"}')
      if (headers.authorization === undefined) return void response.writeHead(401).end('{}')
      const result = { content: [], structuredContent: { claims: [], has_more: false } }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    })
    expect(await withConnection(config, claims)).toEqual({ claims: [], has_more: false })
    expect(heard).toEqual([
      '/api/call',
      '/health',
      '/api/call Bearer secret',
      '/api/agents?limit=1&project=shop Bearer secret',
      '/mcp/shop Bearer secret',
    ])
  })
})
