/** Readers that wait for messages, and are woken. */
import { describe, expect, it } from 'vitest'
import { projectsOnOneServer, type TestProject } from '../support/coordination/projects.ts'

const newProject = projectsOnOneServer()
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

describe('wait_seconds', () => {
  /** Long beside any call, short beside the longest wait. */
  const longMs = 25_000
  async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
    const start = performance.now()
    const value = await work
    return { value, ms: performance.now() - start }
  }

  /** Whether it is still waited for, after calls that came later were answered. */
  async function stillWaits(project: TestProject, work: Promise<unknown>): Promise<boolean> {
    const agent = await project.register('passer-by')
    const later = (async () => {
      for (let count = 0; count < 30; count++) await project.heartbeat(agent)
      return 'waits'
    })()
    return (await Promise.race([work, later])) === 'waits'
  }

  it('returns at once what is there already', async () => {
    const project = newProject()
    const agent = await project.register('reader')
    await project.send(agent, 'one')
    await project.send(agent, 'two')
    const { value, ms } = await timed(project.read(agent, { after_id: 1, wait_seconds: 50 }))
    expect(value.messages).toMatchObject([{ id: 2, body: 'two' }])
    expect(ms).toBeLessThan(longMs)
  })

  it('wakes every reader when a message comes', async () => {
    const project = newProject()
    const readers = await Promise.all(numbers(1, 10).map((number) => project.register(`${number}`)))
    const reading = timed(
      Promise.all(readers.map((reader) => project.read(reader, { wait_seconds: 50 }))),
    )
    expect(await stillWaits(project, reading)).toBe(true)
    await project.send(await project.register('sender'), 'news')
    const { value, ms } = await reading
    for (const { messages } of value) expect(messages).toMatchObject([{ body: 'news' }])
    expect(ms).toBeLessThan(longMs)
  })

  it('is not ended by another channel, by a change, or by another project', async () => {
    const [project, other] = [newProject(), newProject()]
    const agent = await project.register('reader')
    await project.send(agent, 'old', { channel: 'review' })
    const waiting = timed(project.read(agent, { channel: 'review', after_id: 1, wait_seconds: 50 }))
    expect(await stillWaits(project, waiting)).toBe(true)
    await project.send(agent, 'broadcast')
    await project.send(agent, 'other', { channel: 'Review' })
    await project.announce(agent, 'change')
    const stranger = await other.register('stranger')
    for (const body of ['one', 'two']) await other.send(stranger, body, { channel: 'review' })
    expect(await stillWaits(project, waiting)).toBe(true)
    await project.send(agent, 'wanted', { channel: 'review' })
    const { value, ms } = await waiting
    expect(value).toMatchObject({ messages: [{ id: 4, body: 'wanted' }], has_more: false })
    expect(ms).toBeLessThan(longMs)
  })

  it('waits for what comes after since', async () => {
    const project = newProject()
    const agent = await project.register('reader')
    await project.send(agent, 'old')
    const since = (await project.read(agent)).messages[0]?.created_at ?? ''
    const waiting = project.read(agent, { since, wait_seconds: 50 })
    expect(await stillWaits(project, waiting)).toBe(true)
    await project.send(agent, 'new')
    expect((await waiting).messages).toMatchObject([{ body: 'new' }])
  })

  it('gives nothing when the time is over, and not before', async () => {
    const project = newProject()
    const agent = await project.register('reader')
    await project.send(agent, 'old', { channel: 'other' })
    const { value, ms } = await timed(project.read(agent, { channel: 'c', wait_seconds: 0.5 }))
    expect(value).toEqual({ messages: [], has_more: false })
    expect(ms).toBeGreaterThan(480)
    const without = await timed(project.read(agent, { channel: 'c', wait_seconds: 0 }))
    expect(without.value).toEqual({ messages: [], has_more: false })
  })
})
