/** The client of MCP servers, on servers that die and hang. */
import { afterAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  endScenes,
  failure,
  instead,
  isAlive,
  processOf,
  Scene,
  secret,
  value,
} from '../../support/orchestrator/server-scene.ts'

afterAll(endScenes)

describe.concurrent('a server that dies', () => {
  it('is started again for a read, and answers it', async () => {
    const scene = new Scene('good')
    expect(await scene.read('die_first')).toEqual(value)
    expect(scene.pids).toHaveLength(2)
    expect(scene.lines()).toEqual([])
  })

  it('or only stops to talk is ended, and started again for a read', async () => {
    const scene = new Scene('stubborn')
    expect(await scene.read('close_first')).toEqual(value)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })

  it('is not asked to write twice', async () => {
    const scene = new Scene('good')
    expect((await failure(scene.write('die_first'))).details).toMatchObject({ may_have_run: true })
    expect(scene.pids).toHaveLength(1)
    expect(await scene.write('die_first'), 'control').toEqual(value)
  })

  it('gives each of the calls that were under way an answer or its fallback', async () => {
    const scene = new Scene('good')
    const under = Array.from({ length: 20 }, (_, i) =>
      i === 10
        ? scene.withFallback('die')
        : i % 2
          ? scene.withFallback('slow')
          : scene.read('slow'),
    )
    const answers = await Promise.all(under)
    expect(answers.filter((_, i) => i % 2 === 0 && i !== 10)).toEqual(Array(9).fill(value))
    expect(answers.filter((_, i) => i % 2 === 1 || i === 10)).toEqual(Array(11).fill(instead))
    expect(scene.pids).toHaveLength(2)
    expect(scene.lines()).toHaveLength(11)
  })

  it('between two calls is not missed', async () => {
    const scene = new Scene('good')
    process.kill((await scene.write('pid')).count, 'SIGKILL')
    await eventually('it is gone', () => !isAlive(scene.pids[0] ?? 0))
    await eventually('a write is answered', () => scene.write('good').catch(() => undefined))
    expect(scene.pids).toHaveLength(2)
  })

  it.each([
    ['dies', ''],
    ['tattles', 'no account for token ********'],
  ])('when it is started (%s) is left alone, and tells its last line', async (start, told) => {
    const scene = new Scene(start)
    const error = await failure(scene.write('good'))
    expect(error.details).toMatchObject({ may_have_run: false })
    expect(error.message).toContain(told)
    expect(error.message).not.toContain('starting')
    for (let i = 0; i < 3; i++) await failure(scene.write('good'))
    for (let i = 0; i < 3; i++) expect(await scene.withFallback('good')).toEqual(instead)
    await failure(scene.client.takes('good', 'first'))
    expect(scene.pids).toHaveLength(1)
    expect(scene.events()).toEqual(['mcp_escalation good', 'mcp_fallback good'])
    expect(scene.troubles).toEqual([
      {
        event: 'mcp_escalation',
        server: 'obsidian',
        tool: 'good',
        message: scene.lines()[0]?.message,
      },
      expect.objectContaining({ event: 'mcp_fallback' }),
    ])
    expect(JSON.stringify(scene.lines())).not.toContain(secret)
  })

  it('or is not there at all is told', async () => {
    const scene = new Scene('good', { start: processOf(['/nowhere/server']) })
    expect((await failure(scene.write('good'))).message).toContain('ENOENT')
    expect(await scene.withFallback('good')).toEqual(instead)
  })

  it('is tried again after its rest, and then rests longer', async () => {
    const scene = new Scene('dies', { coolDownMs: 100 })
    await failure(scene.read('good'))
    await eventually('it is started four times', async () => {
      await failure(scene.read('good'))
      return scene.pids.length === 4
    })
    const rests = scene.lines().map(({ timestamp }) => Date.parse(timestamp))
    expect((rests[3] ?? 0) - (rests[2] ?? 0)).toBeGreaterThanOrEqual(390)
  })
})

describe.concurrent('a server that hangs', () => {
  const timeoutMs = 1500

  it('is given a moment for a gentle call, and is gone after it', async () => {
    const scene = new Scene('stubborn', { timeoutMs, coolDownMs: 0 })
    await scene.read('good')
    const error = await failure(scene.write('hang', {}, { isGentle: true }))
    expect(error.details).toMatchObject({ may_have_run: true })
    expect(scene.pids.map(isAlive).at(-1)).toBe(true)
    const closing = performance.now()
    await scene.client.close()
    expect(performance.now() - closing).toBeLessThan(6000)
    expect(scene.pids.map(isAlive)).not.toContain(true)
  })

  it.each([
    ['hangs', 'good'],
    ['good', 'hang'],
    ['stubborn', 'hang'],
    ['wrapped', 'hang'],
    ['good', 'spin'],
    ['good', 'flood'],
    ['good', 'progress'],
  ])('(%s, %s) is gone before the fallback runs', async (start, tool) => {
    const scene = new Scene(start, { timeoutMs })
    const alive: boolean[] = []
    const fallback = async () => {
      alive.push(...scene.pids.map(isAlive))
      return instead
    }
    expect(await scene.withFallback(tool, { fallback, isSafe: true })).toEqual(instead)
    expect(alive).toEqual(Array(start === 'wrapped' ? 2 : 1).fill(false))
    expect(scene.events()).toEqual([`mcp_fallback ${tool}`])
    expect(scene.lines()[0]?.message).toMatch(/^it did not (answer|start) within [\d.]+ s$/)
    expect(await scene.withFallback('good')).toEqual(instead)
    expect(scene.pids).toHaveLength(alive.length)
  })

  it('with a line that has no end is gone too', async () => {
    const scene = new Scene('good')
    expect(await scene.withFallback('endless_line')).toEqual(instead)
    expect(scene.pids.map(isAlive)).toEqual([false])
  })

  it('is started anew after its rest', async () => {
    const scene = new Scene('good', { timeoutMs, coolDownMs: 0 })
    await failure(scene.write('hang'))
    expect(await scene.read('good')).toEqual(value)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })
})
