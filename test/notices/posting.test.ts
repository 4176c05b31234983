/** How notices are posted: at most ten in a minute, again after failures, each once, and whatever the receiver does. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { tellPerson } from '../../src/notices/tell-person.ts'
import { Receiver } from '../support/notices/receiver.ts'
import { TestNotices } from '../support/notices/spool.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hour = 3600_000

async function tellMany(notices: TestNotices, count: number, first = 1): Promise<void> {
  for (let number = first; number < first + count; number++) await notices.tell(`#${number}`)
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `#${from + index}`)

describe('at most ten in a minute', () => {
  it('go out as they are, and the rest of that minute as one that says how many of what kinds', async () => {
    const notices = await TestNotices.start()
    await tellMany(notices, 20)
    await notices.tell('a', { kind: 'message' })
    await notices.tell('b', { kind: 'message' })
    await notices.tell('c', { kind: 'unknown_send' })
    const begun = notices.clock.ms
    await notices.post()
    expect(notices.receiver.subjects).toEqual([
      ...numbers(1, 10),
      '13 more: 2 messages, 10 drafts, 1 unknown send',
    ])
    expect(notices.receiver.came.at(-1)?.at).toBe(begun + 60_000)
    expect(notices.receiver.bodies.at(-1)).toMatchObject({
      kind: 'several',
      from: 'agentmail',
      project: 'default',
      url: '',
    })
    await notices.tell('later')
    await notices.post()
    expect(notices.receiver.subjects.at(-1)).toBe('later')
  })

  it('counts what comes until the minute is over, and one alone is told as it is', async () => {
    const notices = await TestNotices.start()
    await tellMany(notices, 11)
    const poster = notices.poster()
    await notices.post(poster, 1000)
    expect(notices.receiver.came).toHaveLength(10)
    await notices.post(poster)
    expect(notices.receiver.subjects.at(-1)).toBe('#11')
    await tellMany(notices, 10, 12)
    await notices.post(poster, 1000)
    await notices.tell('x', { project: 'another' })
    await notices.post(poster)
    expect(notices.receiver.bodies.at(-1)).toMatchObject({
      subject: '2 more: 2 drafts',
      project: '',
    })
  })

  it('holds over restarts, and in any sixty seconds', async () => {
    const notices = await TestNotices.start()
    for (let round = 0; round < 30; round++) {
      await tellMany(notices, 3)
      await notices.post(notices.poster(), 500) // a new one each time
      notices.clock.ms += 7000
    }
    await notices.post()
    const times = notices.receiver.came.map(({ at }) => at)
    const most = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length),
    )
    expect(most).toBe(10)
    const told = notices.receiver.subjects.map((subject) =>
      Number(/^(\d+) more/.exec(subject)?.[1] ?? 1),
    )
    expect(told.reduce((sum, one) => sum + one, 0)).toBe(90)
  })

  it('rests no longer for a clock that is set back', async () => {
    const notices = await TestNotices.start()
    await tellMany(notices, 10)
    await notices.post()
    notices.clock.ms -= 24 * hour
    await notices.tell('back')
    await notices.post(notices.poster(), 1)
    expect(notices.receiver.subjects.at(-1)).toBe('back')
  })
})

describe('a receiver that fails', () => {
  it('is asked again after pauses that grow, and gets each once', async () => {
    const notices = await TestNotices.start()
    notices.receiver.answer(500, 503, (response) => response.destroy(), 502)
    await tellMany(notices, 2)
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['#1', '#1', '#1', '#1', '#1', '#2'])
    const times = notices.receiver.came.map(({ at }) => at)
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 0])
  })

  it('says itself when, at 429 and 503', async () => {
    const notices = await TestNotices.start()
    const later = (status: number) => (response: import('node:http').ServerResponse) =>
      response.writeHead(status, { 'retry-after': '90' }).end()
    notices.receiver.answer(later(429), later(503))
    await notices.tell('x')
    const begun = notices.clock.ms
    await notices.post()
    expect(notices.receiver.came.map(({ at }) => at - begun)).toEqual([0, 90_000, 180_000])
  })

  it('rests over a restart too', async () => {
    const notices = await TestNotices.start()
    notices.receiver.answer(500, 500, 500)
    await notices.tell('x')
    for (let round = 0; round < 5; round++) await notices.post(notices.poster(), 0)
    expect(notices.receiver.came).toHaveLength(1)
  })

  it('is given up after an hour', async () => {
    const notices = await TestNotices.start()
    notices.receiver.answer(...Array<number>(100).fill(500))
    await notices.tell('old')
    const begun = notices.clock.ms
    await notices.post()
    expect(notices.spool.waiting()).toEqual([])
    const lastMs = notices.clock.ms - begun
    expect(lastMs).toBeGreaterThanOrEqual(hour)
    expect(lastMs).toBeLessThan(1.2 * hour)
    expect(notices.receiver.came.length).toBeLessThan(30)
  })

  it.each([400, 401, 403, 404, 410, 301, 302, 307])(
    'is not asked again after %d',
    async (status) => {
      const notices = await TestNotices.start()
      const elsewhere = await Receiver.start()
      notices.receiver.answer((response) =>
        response.writeHead(status, { location: elsewhere.url }).end(),
      )
      await tellMany(notices, 2)
      await notices.post()
      expect(notices.receiver.subjects).toEqual(['#1', '#2'])
      expect(elsewhere.came).toEqual([])
    },
  )

  it('is not there at all', async () => {
    const notices = await TestNotices.start({ AGENTMAIL_NOTIFY: 'http://127.0.0.1:1/secret' })
    await notices.tell('x')
    const poster = notices.poster()
    expect(await poster.step()).toBe(0)
    expect(await poster.step()).toBe(1000)
    expect(notices.spool.posted().trouble).toContain('there was no answer (ECONNREFUSED)')
    expect(JSON.stringify(notices.spool.posted())).not.toContain('secret')
  })
})

describe('each once', () => {
  it('is told by its key, waiting or posted, also by a poster of another time', async () => {
    const notices = await TestNotices.start()
    for (const key of ['a', 'a', 'b']) await notices.tell(key, { key })
    expect(notices.spool.waiting()).toHaveLength(2)
    await notices.post()
    await notices.tell('a', { key: 'a' })
    await notices.tell('c', { key: 'c' })
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['a', 'b', 'c'])
  })

  it('is posted, though the line was not taken out in time', async () => {
    const notices = await TestNotices.start()
    await notices.tell('x')
    const line = readFileSync(notices.spool.path('waiting.jsonl'))
    await notices.post()
    notices.put('waiting.jsonl', line) // as after a kill between the answer and the end
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['x'])
    expect(notices.spool.isEmpty).toBe(false)
    await notices.tell('y')
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['x', 'y'])
    expect(notices.spool.isEmpty).toBe(true)
  })
})

describe('the spool', () => {
  it('is its owner’s alone, and only there where somebody is to be told', async () => {
    const notices = await TestNotices.start()
    await notices.tell('x')
    for (const name of ['waiting.jsonl', 'poster'] as const) {
      expect(statSync(notices.spool.path(name)).mode & 0o777).toBe(0o600)
    }
    expect(statSync(notices.state).mode & 0o777).toBe(0o700)
    const folder = temporaryFolder()
    await tellPerson(new Config({}, { XDG_STATE_HOME: folder }), { kind: 'draft', subject: 'x' })
    expect(existsSync(`${folder}/agentmail`)).toBe(false)
  })

  it('has no address in it, and another for each', async () => {
    const notices = await TestNotices.start()
    const other = await TestNotices.start({ XDG_STATE_HOME: notices.folder })
    await notices.tell('one')
    await other.tell('two')
    await notices.post()
    await other.post()
    expect(notices.receiver.subjects).toEqual(['one'])
    expect(other.receiver.subjects).toEqual(['two'])
    expect(notices.spool.path('poster')).not.toContain('secret')
  })

  it('is read past lines that are damaged or cut short', async () => {
    const notices = await TestNotices.start()
    await notices.tell('first')
    const line = readFileSync(notices.spool.path('waiting.jsonl'), 'utf8')
    const others = [
      'null',
      '[]',
      '{}',
      '{"id":"x"}',
      '\u0000\u0000',
      '{"id":1,"at":2}',
      'x'.repeat(70_000),
    ]
    notices.put('waiting.jsonl', `${others.join('\n')}\n${line}{"id":"torn","at":`)
    await notices.tell('second')
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['first', 'second'])
    expect(notices.spool.isEmpty).toBe(true)
  })

  it.each(['', 'null', '{"posts":"x","done":7,"nextMs":"soon"}', '\u0000'])(
    'goes on where the record of posts is damaged: %j',
    async (text) => {
      const notices = await TestNotices.start()
      notices.put('posted.json', text)
      await notices.tell('x', { key: 'x' })
      await notices.post()
      expect(notices.receiver.subjects).toEqual(['x'])
    },
  )

  it('holds a thousand, and counts what is more, exactly', async () => {
    const notices = await TestNotices.start()
    await tellMany(notices, 1000)
    for (let more = 0; more < 12; more++) await notices.tell('x', { kind: 'message' })
    const { size } = statSync(notices.spool.path('waiting.jsonl'))
    await notices.tell('x', { kind: 'unknown_send' })
    expect(statSync(notices.spool.path('waiting.jsonl')).size).toBeLessThan(size + 50)
    const poster = notices.poster()
    await notices.post(poster, 1000)
    // What comes while the summary is under way is counted anew.
    notices.receiver.answer((response) => {
      void notices.tell('during', { kind: 'message' }).then(() => response.end())
    })
    await notices.post(poster)
    expect(notices.receiver.subjects.slice(10)).toEqual([
      '1003 more: 12 messages, 990 drafts, 1 unknown send',
      '1 more: 1 message',
    ])
    expect(notices.spool.isEmpty).toBe(true)
  })

  it('is in nobody’s way where it cannot be written', async () => {
    const notices = await TestNotices.start({ XDG_STATE_HOME: '/proc/none' })
    await expect(notices.tell('x')).resolves.toBeUndefined()
    const wrong = new Config({}, { AGENTMAIL_NOTIFY: 'no address' })
    await expect(tellPerson(wrong, { kind: 'draft', subject: 'x' })).resolves.toBeUndefined()
  })
})
