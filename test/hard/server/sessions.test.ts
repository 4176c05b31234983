/** Fifty clients at once, each of whom sees its own answers alone. */
import { Agent } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, requestLine } from '../../support/mcp/protocol.ts'
import { isLong } from '../../support/parts.ts'
import { answersIn, ask, callHeaders } from '../../support/server/http.ts'
import { TestServer } from '../../support/server/server.ts'
import { SseClient } from '../../support/server/sse-client.ts'

type Call = (name: string, args: object) => Promise<Answer>

/** The way of one client to the server. All use the same ids, so that a mix-up would go through. */
const transports: Record<string, (url: string) => Promise<Call>> = {
  'Streamable HTTP': async (url) => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    let lastId = 0
    return async (name, args) => {
      const id = ++lastId
      const body = requestLine(id, 'tools/call', { name, arguments: args })
      const headers = callHeaders('legacy')
      const reply = await ask(url, { method: 'POST', path: '/mcp', headers, body, agent })
      const [answer, ...more] = answersIn(reply)
      expect({ id: answer?.id, more }).toEqual({ id, more: [] })
      return answer ?? { jsonrpc: '2.0', id }
    }
  },
  SSE: async (url) => {
    const client = await SseClient.open(url)
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    let lastId = 0
    return async (name, args) => {
      const id = ++lastId
      const answered = client.answer(id)
      await client.post(requestLine(id, 'tools/call', { name, arguments: args }), { agent })
      return answered
    }
  },
}

describe.each(Object.entries(transports))('50 clients over %s', (_, open) => {
  const clients = 50
  const rounds = isLong ? 50 : 5
  const calls = clients * rounds * 4

  it(`each see their own answers alone (${calls} calls)`, { timeout: 600_000 }, async () => {
    const { url } = await TestServer.start()
    /** Everything that a client gets must carry its own marker and nobody else's. */
    async function run(number: number): Promise<string[]> {
      const marker = `marker-${number}-`
      const call = await open(url)
      const strange: string[] = []
      const check = (answer: Answer) => {
        const markers = JSON.stringify(answer).match(/marker-\d+-/g) ?? []
        if (markers.length === 0 || markers.some((one) => one !== marker))
          strange.push(JSON.stringify(answer).slice(0, 300))
        return answer
      }
      const registered = await call('register', { name: marker, role: 'r' })
      const agent_id = String(Object(registered.result?.structuredContent).agent_id)
      const own = { agent_id, channel: marker }
      for (let round = 0; round < rounds; round++) {
        await call('send_message', { ...own, subject: marker, body: `${marker}${round}` })
        const [said] = await Promise.all([
          call('read_messages', own),
          call('heartbeat', { agent_id: `${marker}nobody` }).then(check),
          call(`${marker}tool`, {}).then(check),
        ])
        check(said)
        expect(said.result?.structuredContent).toMatchObject({
          messages: Array.from({ length: round + 1 }, (_, index) => ({
            body: `${marker}${index}`,
          })),
        })
      }
      return strange
    }
    const found = await Promise.all(Array.from({ length: clients }, (_, number) => run(number)))
    expect(found.flat()).toEqual([])
  })
})
