/** Calls that are cancelled, or whose client goes, while they take their time. */
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openSession } from '../support/mailbox/tmux.ts'
import { cancel } from '../support/mcp/hostile-lines.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { memory } from '../support/mcp/memory-in-use.ts'
import type { Id } from '../support/mcp/protocol.ts'
import { describeWith } from '../support/parts.ts'

const isMeasurable = existsSync('/proc/self/status')

describeWith('tmux', 'in tmux, where a call takes its time', () => {
  const open = () => {
    const session = openSession(['one', 'two'])
    return LineClient.open({ env: session.env(0), cwd: session.repository })
  }

  /** Small on the wire and large in memory: what is read too early shows. */
  const padding = Array<never[]>(10_000).fill([])

  /** Calls for a few seconds, as fast as they are read; by how many MiB the server grows. */
  async function flood(
    client: LineClient,
    idOf: (count: number) => Id,
    after = '',
  ): Promise<number> {
    await client.call('list-recipients')
    const { now: idle } = memory(client.pid)
    const isOver = new Promise((resolve) => setTimeout(resolve, 2_500))
    const params = { name: 'list-recipients', _meta: { padding } }
    for (let count = 0; count < 1_500; count++) {
      const id = idOf(count)
      const line = `${client.line(id, 'tools/call', params)}\n`
      const written = client.stream(line + after.replace('ID', String(id))).then(() => true)
      if (!(await Promise.race([written, isOver]))) break
    }
    return memory(client.pid).peak - idle
  }
  const roomMiB = 300

  it.skipIf(!isMeasurable)('memory stays flat under calls with ids of their own', async () => {
    expect(await flood(await open(), (count) => count)).toBeLessThan(roomMiB)
  })

  it.skipIf(!isMeasurable)('memory stays flat under calls that share one id', async () => {
    expect(await flood(await open(), () => 1)).toBeLessThan(roomMiB)
  })

  it.skipIf(!isMeasurable)('memory stays flat under calls that are cancelled at once', async () => {
    const cancellation = `${cancel('{"requestId":ID}')}\n`
    expect(await flood(await open(), (count) => count, cancellation)).toBeLessThan(roomMiB)
  })

  it('answers a call although a malformed cancellation names it', async () => {
    const client = await open()
    client.write(
      client.line('kept', 'tools/call', { name: 'list-recipients' }),
      cancel('{"requestId":"kept","reason":5}'),
    )
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answersTo('kept')).toHaveLength(1)
  })

  it('ends when its input ends although calls were cancelled', async () => {
    const client = await open()
    const ids = Array.from({ length: 100 }, (_, index) => index)
    const lines = ids.flatMap((id) => [
      client.line(id, 'tools/call', { name: 'list-recipients' }),
      cancel(`{"requestId":${id}}`),
    ])
    client.write(...lines)
    expect(await client.finish()).toMatchObject({ exitCode: 0, signal: null })
    for (const id of ids) expect(client.answersTo(id).length).toBeLessThan(2)
  })
})
