/** Servers and readers killed under load: marks never go back, nothing unread is forgotten, nothing is handed twice. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { messagesOf, openStdio, structured } from '../../support/coordination/coordination.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import type { LineClient } from '../../support/mcp/line-client.ts'
import { isLong } from '../../support/parts.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { sql } from '../../support/store/sqlite-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

vi.setConfig({ testTimeout: isLong ? 900_000 : 180_000 })

const kills = isLong ? 60 : 6
const page = 7
const sentSchema = z.object({ message_id: z.number() })
const registered = z.object({ agent_id: z.string() })

class Storm {
  readonly database = join(temporaryFolder(), 'agentmail.db')
  readonly env = { AGENTMAIL_DB: this.database, AGENTMAIL_STALE_SECONDS: '3600' }
  readonly place = { repository: repository(), env: this.env }
  readonly random = seededRandom()
  readonly handed: number[] = []
  readonly sent: number[] = []
  /** Pages whose reader or server was killed over them. */
  lost = 0
  /** So many were handed in order, reader by reader. */
  isOver = false
  /** Until the last reader has found nothing more. */
  isRead = false
  server = this.#start()
  readers = new Map<string, LineClient>()
  readonly #marks = new Map<string, number>()

  #start(): Promise<TestServer> {
    return TestServer.start({ db: this.database, cwd: this.place.repository, env: this.env })
  }

  /** Until it is answered, by whichever server lives then. */
  async call(tool: string, args: object): Promise<Record<string, unknown>> {
    for (;;) {
      try {
        const { url } = await this.server
        const { structuredContent, text } = await callTool(url, tool, args)
        if (!structuredContent) throw new Error(text)
        return structuredContent
      } catch {
        await sleep(20)
      }
    }
  }

  async write(agent_id: string, writer: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const channel = n % 3 ? '@ann' : 'broadcast'
      const idempotency_key = `${writer} ${n}`
      const letter = { subject: 's', body: 'b', channel, idempotency_key }
      const answer = await this.call('send_message', { agent_id, ...letter })
      this.sent.push(sentSchema.parse(answer).message_id)
    }
  }

  /** Over STDIO, as a client that is started again whenever it was killed. */
  async readOnStdio(agent_id: string, reader: string): Promise<void> {
    while (!this.isRead) {
      const client = await openStdio(this.place).catch(() => undefined)
      if (!client) continue
      this.readers.set(reader, client)
      try {
        await client.call('heartbeat', { agent_id })
        while (!this.isRead) await this.#readOnce(client, agent_id)
      } catch {
        this.lost++ // it was killed, perhaps over a page
      } finally {
        client.child.kill('SIGKILL')
      }
    }
  }

  async #readOnce(client: LineClient, agent_id: string): Promise<void> {
    const request = { agent_id, unread: true, limit: page, wait_seconds: 1 }
    const answer = await client.call('read_messages', request)
    const failed = /server went away|cannot be reached|could not be/.test(JSON.stringify(answer))
    if (failed) this.lost++
    else this.handed.push(...messagesOf(structured(answer)).map(({ id }) => id))
  }

  /** With plain requests, which fail with their server. */
  async readOverHttp(agent_id: string): Promise<void> {
    while (!this.isRead) {
      const { url } = await this.server
      const request = { agent_id, unread: true, limit: page, wait_seconds: 1 }
      const answer = await callTool(url, 'read_messages', request).catch(() => undefined)
      if (answer?.structuredContent) {
        this.handed.push(...messagesOf(answer.structuredContent).map(({ id }) => id))
      } else {
        this.lost++
        await sleep(20)
      }
    }
  }

  async kill(): Promise<void> {
    const victims = [...this.readers.values()]
    const victim = victims[Math.floor(this.random() * victims.length)]
    if (this.random() < 0.5 && victim) {
      victim.child.kill('SIGKILL')
    } else {
      const { child, ended } = await this.server
      child.kill('SIGKILL')
      await ended
      this.server = this.#start()
      await this.server
    }
    this.checkMarks()
  }

  checkMarks(): void {
    for (const row of sql(this.database, 'SELECT agent_id, channel, last_id FROM marks')) {
      const { agent_id, channel, last_id } = Object(row)
      const key = `${agent_id} ${channel}`
      expect(last_id).toBeGreaterThanOrEqual(this.#marks.get(key) ?? 0)
      this.#marks.set(key, last_id)
    }
  }
}

it('are handed each message once, but for the pages that they were killed over, which a cursor gives again', async () => {
  const storm = new Storm()
  const register = async (name: string) =>
    registered.parse(await storm.call('register', { name, role: 'coder' })).agent_id
  const ann = await register('ann')
  const writers = [await register('bob'), await register('cyd')]
  const writing = [...writers, ...writers].map((id, index) => storm.write(id, index))
  const reading = [
    storm.readOnStdio(ann, 'one'),
    storm.readOnStdio(ann, 'two'),
    storm.readOverHttp(ann),
  ]
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + storm.random() * 700)
    await storm.kill()
  }
  storm.isOver = true
  await Promise.all(writing)
  while (Number((await storm.call('heartbeat', { agent_id: ann })).unread) > 0) await sleep(50)
  storm.isRead = true
  await Promise.all(reading)
  storm.checkMarks()

  const sent = storm.sent.toSorted((a, b) => a - b)
  expect(sent).toEqual(sent.map((_, index) => index + 1)) // each once, whoever was killed
  expect(new Set(storm.handed).size).toBe(storm.handed.length)
  const missing = sent.filter((id) => !storm.handed.includes(id))
  expect(missing.length).toBeLessThanOrEqual(storm.lost * page)
  const again: number[] = []
  for (const id of missing) {
    const request = { agent_id: ann, after_id: id - 1, limit: 1 }
    again.push(...messagesOf(await storm.call('read_messages', request)).map((one) => one.id))
  }
  expect(again).toEqual(missing)
  const unread = sql(
    storm.database,
    "SELECT id FROM messages LEFT JOIN receipts ON message_id = id WHERE channel = '@ann' AND read_us IS NULL",
  )
  expect(unread).toEqual([]) // what was handed is read, and what was lost counts as handed
  console.log(`${sent.length} messages, ${storm.lost} pages lost with ${missing.length} messages`)
})
