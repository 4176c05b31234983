/** The memory of an MCP server under lines without measure, and clients that never read. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { openSession } from '../../support/mailbox/tmux.ts'
import { cancel } from '../../support/mcp/hostile-lines.ts'
import { LineClient } from '../../support/mcp/line-client.ts'
import { memory } from '../../support/mcp/memory-in-use.ts'
import { type Id, requestLine } from '../../support/mcp/protocol.ts'
import { describeWith } from '../../support/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const office = () => ({
  env: { AGENTMAIL_AGENT: 'a', AGENTMAIL_DIR: join(temporaryFolder(), '.agentmail') },
})

const isMeasurable = existsSync('/proc/self/status')

describe.skipIf(!isMeasurable)('memory', () => {
  /** Room for the garbage that Node has not collected yet. */
  const roomMiB = 150

  it('stays flat under lines of more than 10 MiB, each of which is refused', async () => {
    const client = await LineClient.open(office())
    await client.call('receive')
    client.answers.length = 0
    const { now: idle } = memory(client.pid)
    const chunk = Buffer.alloc(1 << 20, 'x')
    const lines = 20
    for (let line = 0; line < lines; line++) {
      await client.stream('{"jsonrpc":"2.0","id":"big","method":"')
      for (let part = 0; part < (line === 0 ? 200 : 25); part++) await client.stream(chunk)
      await client.stream('"}\n')
    }
    expect(await client.call('receive')).toHaveProperty('result.structuredContent')
    expect(memory(client.pid).peak).toBeLessThan(idle + roomMiB)
    expect(client.answersTo(null).map(({ error }) => error?.code)).toEqual(
      Array(lines).fill(-32600),
    )
    expect(client.answersTo('big')).toEqual([])
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
  })

  it('takes a line of exactly 10 MiB and refuses the next byte', async () => {
    const client = await LineClient.open(office())
    client.answers.length = 0
    const frame = client.line('largest', 'x')
    const sized = (size: number) => frame.replace('"x"', `"${'x'.repeat(size - frame.length + 1)}"`)
    client.write(sized(10 << 20))
    expect((await client.answer('largest')).error?.code).toBe(-32601)
    client.write(sized((10 << 20) + 1))
    expect(await client.request('tools/list')).toHaveProperty('result.tools')
    expect(client.answersTo('largest')).toHaveLength(1)
    expect(client.answersTo(null)).toMatchObject([{ error: { code: -32600 } }])
  })

  it('drops a line that is too long although it never ends', async () => {
    const client = await LineClient.open(office())
    client.answers.length = 0
    const { now: idle } = memory(client.pid)
    const chunk = Buffer.alloc(1 << 20, '[')
    for (let part = 0; part < 200; part++) await client.stream(chunk)
    expect(memory(client.pid).peak).toBeLessThan(idle + roomMiB)
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answers).toMatchObject([{ id: null, error: { code: -32600 } }])
  })

  /** Requests whose answers are as long as they are: each names a tool that does not exist. */
  const requests = 5_000
  const longName = 'x'.repeat(20_000)
  const requestLines = () =>
    Array.from({ length: requests }, (_, id) => requestLine(id, 'tools/call', { name: longName }))

  /** By how much a server grows whose client writes and does not read. */
  async function growthOf(child: LineClient['child']): Promise<number> {
    const pid = child.pid ?? 0
    const { now: idle } = memory(pid)
    child.stdout.pause()
    child.stdin.write(`${requestLines().join('\n')}\n`)
    return eventually('the server reads no more', async () => {
      const before = memory(pid).now
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const { now, peak } = memory(pid)
      return Math.abs(now - before) < 1 && peak - idle
    })
  }
  const stalledRoomMiB = 60

  it('stays flat when the client does not read, and every request is answered when it does', async () => {
    const client = await LineClient.open(office())
    client.answers.length = 0
    expect(await growthOf(client.child)).toBeLessThan(stalledRoomMiB)
    client.child.stdout.resume()
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answers.map(({ id }) => id).sort()).toEqual(
      Array.from({ length: requests }, (_, id) => id).sort(),
    )
    expect(client.faults).toEqual([])
  })

  it('would be seen to grow in a server that reads on regardless', async () => {
    const naive = `process.stdin.on('data', (chunk) => process.stdout.write(chunk))`
    const child = spawn(process.execPath, ['-e', naive])
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    child.stdin.on('error', () => {})
    const echoed = new Promise((resolve) => child.stdout.once('data', resolve))
    child.stdin.write('ready?\n')
    await echoed
    expect(await growthOf(child)).toBeGreaterThan(stalledRoomMiB)
  })

  it('stays flat when nobody reads what it logs', async () => {
    const client = new LineClient(office())
    client.child.stderr.pause()
    client.write('nonsense')
    await client.answer(null)
    const { now: idle } = memory(client.pid)
    const unasked = '{"jsonrpc":"2.0","id":1,"result":{}}\n'.repeat(1_000)
    for (let count = 0; count < 300; count++) await client.stream(unasked)
    expect(await client.request('tools/list')).toHaveProperty('result.tools')
    expect(memory(client.pid).peak).toBeLessThan(idle + roomMiB)
  })
})

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
})
