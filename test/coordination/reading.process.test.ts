/** Reading messages and changes: order, cursors, pages, and waiting for news. */
import { describe, expect, it } from 'vitest'
import { projectsOnOneServer, type TestProject } from '../support/coordination/projects.ts'

const newProject = projectsOnOneServer()
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

interface Entry {
  id: number
  at: string
  text: string
}
interface Request {
  since?: string
  after_id?: number
  limit?: number
  /** What the stream can be filtered by. */
  only?: string
}

/** Messages and changes are read in the same way, so one suite holds for both. */
interface TestStream {
  project: TestProject
  tool: 'read_messages' | 'get_changes'
  /** What every call must give. */
  own: object
  /** What `only` filters by, and its two values. */
  filter: 'channel' | 'agent_id'
  filters: [string, string]
  /** Writes one, under the first filter value or the second. */
  write(text: string, filter?: 0 | 1): Promise<number>
  read(request?: Request): Promise<{ entries: Entry[]; has_more: boolean }>
}

async function messagesOf(project: TestProject): Promise<TestStream> {
  const agent_id = await project.register('coder-1')
  const filters: [string, string] = ['broadcast', 'review']
  return {
    ...{ project, filters, tool: 'read_messages', filter: 'channel', own: { agent_id } },
    write: (text, filter = 0) => project.send(agent_id, text, { channel: filters[filter] }),
    async read({ only, ...request } = {}) {
      const channel = only === undefined ? {} : { channel: only }
      const { messages, has_more } = await project.read(agent_id, { ...request, ...channel })
      const entries = messages.map(({ id, created_at, body }) => ({
        id,
        at: created_at,
        text: body,
      }))
      return { entries, has_more }
    },
  }
}

async function changesOf(project: TestProject): Promise<TestStream> {
  const filters: [string, string] = [await project.register('a'), await project.register('b')]
  return {
    ...{ project, filters, tool: 'get_changes', filter: 'agent_id', own: {} },
    write: (text, filter = 0) => project.announce(filters[filter], text),
    async read({ only, ...request } = {}) {
      const agent = only === undefined ? {} : { agent_id: only }
      const { changes, has_more } = await project.changes({ ...request, ...agent })
      const entries = changes.map(({ id, announced_at, summary }) => ({
        ...{ id, at: announced_at, text: summary },
      }))
      return { entries, has_more }
    },
  }
}

/** Ids and has_more, which say enough of a page. */
async function page(stream: TestStream, request?: Request) {
  const { entries, has_more } = await stream.read(request)
  return [entries.map(({ id }) => id), has_more]
}

/** The same moment, written with another offset. */
function withOffset(time: string, offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? []
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  const micros = time.slice(23, 26)
  const moved = new Date(Date.parse(`${time.slice(0, 23)}Z`) + shift).toISOString()
  return `${moved.slice(0, -1)}${micros}${offset}`
}

describe.each([
  ['messages', messagesOf],
  ['changes', changesOf],
])('%s', (_, open) => {
  it('come oldest first, the newest 50 of them where no cursor is given', async () => {
    const stream = await open(newProject())
    expect(await page(stream)).toEqual([[], false])
    for (const number of numbers(1, 50)) await stream.write(`${number}`)
    expect(await page(stream)).toEqual([numbers(1, 50), false])
    await stream.write('51')
    expect(await page(stream)).toEqual([numbers(2, 51), true])
    const { entries } = await stream.read()
    expect(entries.map(({ text }) => text)).toEqual(numbers(2, 51).map(String))
  })

  it('say with has_more whether older ones (no cursor) or newer ones (cursor) were left out', async () => {
    const stream = await open(newProject())
    for (const number of numbers(1, 10)) await stream.write(`${number}`)
    const beginning = '1970-01-01T00:00:00Z'
    const rows: [Request, number[], boolean][] = [
      [{}, numbers(1, 10), false],
      [{ limit: 3 }, [8, 9, 10], true],
      [{ limit: 9 }, numbers(2, 10), true],
      [{ limit: 10 }, numbers(1, 10), false],
      [{ limit: 1 }, [10], true],
      [{ limit: 500 }, numbers(1, 10), false],
      [{ after_id: 0, limit: 3 }, [1, 2, 3], true],
      [{ after_id: 0, limit: 10 }, numbers(1, 10), false],
      [{ after_id: 6, limit: 3 }, [7, 8, 9], true],
      [{ after_id: 7, limit: 3 }, [8, 9, 10], false],
      [{ after_id: 9 }, [10], false],
      [{ after_id: 10 }, [], false],
      [{ after_id: 1000 }, [], false],
      [{ after_id: Number.MAX_SAFE_INTEGER }, [], false],
      [{ since: beginning, limit: 4 }, [1, 2, 3, 4], true],
      [{ since: '0000-01-01T00:00:00Z', limit: 10 }, numbers(1, 10), false],
      [{ since: '9999-12-31T23:59:59.999999Z' }, [], false],
    ]
    for (const [request, ids, has_more] of rows) {
      expect(await page(stream, request), JSON.stringify(request)).toEqual([ids, has_more])
    }
  })

  it('take up to 500 on a page', async () => {
    const stream = await open(newProject())
    for (let written = 0; written < 501; ) {
      const some = numbers(written + 1, Math.min(written + 20, 501))
      await Promise.all(some.map((number) => stream.write(`${number}`)))
      written += some.length
    }
    expect(await page(stream, { limit: 500 })).toEqual([numbers(2, 501), true])
    expect(await page(stream, { limit: 500, after_id: 0 })).toEqual([numbers(1, 500), true])
    expect(await page(stream, { limit: 500, after_id: 500 })).toEqual([[501], false])
  })

  it('start strictly after since, to the microsecond and in any offset', async () => {
    const stream = await open(newProject())
    await Promise.all(numbers(1, 10).map((number) => stream.write(`${number}`)))
    const { entries } = await stream.read()
    const offsets = ['+00:00', '-00:00', '+02:00', '-07:00', '+05:30', '-03:30', '+14:00', '-23:59']
    for (const { id, at } of entries) {
      const spellings = [
        ...[at, at.toLowerCase(), at.replace('T', ' '), at.replace('Z', '000Z')],
        ...[at.replace('Z', '999999Z'), ...offsets.map((offset) => withOffset(at, offset))],
      ]
      for (const since of spellings) {
        expect(await page(stream, { since }), since).toEqual([numbers(id + 1, 10), false])
      }
    }
  })

  it('hold to since and after_id where both are given', async () => {
    const stream = await open(newProject())
    for (const number of numbers(1, 10)) await stream.write(`${number}`)
    const { entries } = await stream.read()
    for (const { id, at: since } of entries) {
      expect(await page(stream, { since, after_id: 5 })).toEqual([
        numbers(Math.max(id, 5) + 1, 10),
        false,
      ])
    }
  })

  it('can be filtered, and then pages and has_more are of what fits the filter', async () => {
    const stream = await open(newProject())
    const [even, odd] = stream.filters
    for (const number of numbers(1, 12)) await stream.write(`${number}`, number % 2 === 0 ? 0 : 1)
    const { entries } = await stream.read()
    const since = entries[3]?.at ?? ''
    const rows: [Request, number[], boolean][] = [
      [{ only: even }, [2, 4, 6, 8, 10, 12], false],
      [{ only: odd }, [1, 3, 5, 7, 9, 11], false],
      [{ only: odd, limit: 6 }, [1, 3, 5, 7, 9, 11], false],
      [{ only: odd, limit: 2 }, [9, 11], true],
      [{ only: odd, after_id: 2, limit: 2 }, [3, 5], true],
      [{ only: odd, after_id: 11 }, [], false],
      [{ only: even, since, limit: 3 }, [6, 8, 10], true],
      [{ only: 'nobody and nowhere' }, [], false],
      [{ only: even.toUpperCase() }, [], false],
    ]
    for (const [request, ids, has_more] of rows) {
      expect(await page(stream, request), JSON.stringify(request)).toEqual([ids, has_more])
    }
  })

  it('refuse a since that is not RFC 3339', async () => {
    const { project, tool, own } = await open(newProject())
    const bad: unknown[] = [
      ...['yesterday', ' ', '0', '1736935200', '2026-01-15', '2026-01-15T10:00:00', '10:00:00Z'],
      ...['2026-13-01T10:00:00Z', '2026-02-30T10:00:00Z', '2026-01-15T24:00:00Z', 'now()'],
      ...['2026-01-15T10:60:00Z', '2026-01-15T10:00:00+2', '2026-01-15T10:00:00+0200', "'--"],
      ...['2026-01-15T10:00:00 +02:00', '2026-1-5T10:00:00Z', '+2026-01-15T10:00:00Z', '🕙'],
      ...[5, true, {}, ['2026-01-15T10:00:00Z']],
    ]
    for (const since of bad) {
      const text = await project.refusal(tool, { ...own, since })
      expect(text, JSON.stringify(since)).toMatch(/^parsing since timestamp: /)
    }
  })

  it('end a page at 512 KB, under 1 MiB of reply, and following the cursor gives them all', async () => {
    const stream = await open(newProject())
    const kilobytes64 = 64 << 10
    const texts = ['x', 'x', '"', '\\', 'x\n', '\x01', 'é', '😀'].flatMap((piece) =>
      Array.from({ length: 4 }, () => piece.repeat(kilobytes64 / Buffer.byteLength(piece))),
    )
    for (const text of texts) await stream.write(text)

    const read: string[] = []
    const sizes: number[] = []
    for (let cursor = 0, more = true; more; ) {
      const request = { ...stream.own, after_id: cursor, limit: 500 }
      const { content, structuredContent } = await stream.project.call(stream.tool, request)
      const reply = JSON.stringify({ content, structuredContent })
      expect(Buffer.byteLength(reply) + 200).toBeLessThan(1 << 20)
      expect(Buffer.byteLength(content[0]?.text ?? '')).toBeLessThanOrEqual((512 << 10) + 200)

      const { entries, has_more } = await stream.read({ after_id: cursor, limit: 500 })
      read.push(...entries.map(({ text }) => text))
      sizes.push(entries.length)
      more = has_more
      cursor = entries.at(-1)?.id ?? Number.NaN
    }
    expect(read.length).toBe(texts.length)
    expect(read.every((text, index) => text === texts[index])).toBe(true)
    expect(sizes[0]).toBe(7) // what is plain fills the page, and no more fits

    const { entries, has_more } = await stream.read({ limit: 500 })
    expect(has_more).toBe(true)
    expect(entries.map(({ id }) => id)).toEqual(
      numbers(texts.length - entries.length + 1, texts.length),
    )
  })
})
