/** When a digest is sent, by a clock of the test: once on each date, with the same ledger and mail service as every mail. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { notSent } from '../../../src/errors.ts'
import { Digest } from '../../../src/orchestrator/digest/digest.ts'
import { sectionOf } from '../../../src/orchestrator/digest/digest-text.ts'
import { digestTime } from '../../../src/orchestrator/digest/digest-time.ts'
import { Teller } from '../../../src/orchestrator/events.ts'
import { OwnMail } from '../../../src/orchestrator/outbox/way-out.ts'
import { State } from '../../../src/orchestrator/state.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'

/** A vault with a clock that the test sets, and digests of whatever it says. */
async function scene(isEmpty = false) {
  const home = await OrchestratorHome.make()
  const config = new Config({}, home.env)
  let now = new Date(2026, 2, 1, 12, 0).getTime()
  const clock = { now: () => now }
  const ledger = await openLedger(config, clock)
  const wayOut = new OwnMail(config, home.vault, ledger)
  onTestFinished(async () => {
    await wayOut.close()
    await ledger.close()
  })
  const told: string[] = []
  const spans: [number, number][] = []
  let failures = 0
  const open = (state = State.load(home.vault)) =>
    new Digest({
      time: digestTime('18:00'),
      address: async () => 'anna@example.org',
      content: async ({ sinceMs, untilMs }) => {
        spans.push([sinceMs, untilMs])
        const lines = sectionOf(isEmpty ? [] : [`a mail, ${spans.length}`])
        return { came: lines, waits: sectionOf([]), left: sectionOf([]), faults: [] }
      },
      page: async () => '',
      ...{ vault: home.vault, state, ledger, clock, retryMs: 1000 },
      wayOut: {
        scope: (asked) => wayOut.scope(asked),
        reconcile: (mail) => wayOut.reconcile(mail),
        async send(mail) {
          if (failures-- > 0) return { is: 'failed', reason: notSent('send_failed', 'no').message }
          return wayOut.send(mail)
        },
      },
      teller: new Teller(clock, ({ event, text }) => told.push(`${event}: ${text}`)),
    })
  return {
    ...{ home, told, spans, open, digest: open() },
    at: (...time: [number, number, number, number, number]) => {
      now = new Date(...time).getTime()
    },
    pass: (ms: number) => {
      now += ms
    },
    fail: (times: number) => {
      failures = times
    },
    dates: async () =>
      (await home.sentSubjects()).map((one) => /\d{4}-\d\d-\d\d/.exec(one ?? '')?.[0]),
  }
}

describe('a digest', () => {
  it('is sent once on each date from its time on, also by one that starts later', async () => {
    const { digest, open, at, dates, spans, home } = await scene()
    expect([await digest.look(), await dates()]).toEqual([0, []])
    at(2026, 2, 1, 18, 0)
    await digest.look()
    await digest.look()
    await open().look()
    at(2026, 2, 1, 23, 59)
    await open().look()
    expect(await dates()).toEqual(['2026-03-01'])
    at(2026, 2, 2, 17, 59)
    await open().look()
    at(2026, 2, 3, 21, 0) // it did not run the whole day before
    await open().look()
    expect(await dates()).toEqual(['2026-03-01', '2026-03-03'])
    const hour = 3600_000
    expect(spans.map(([since, until]) => (until - since) / hour)).toEqual([24, 51])
    const [mail] = await home.sent()
    expect([mail?.to, mail?.html]).toEqual([[{ name: '', address: 'anna@example.org' }], undefined])
  })

  it('is sent once where the clock is set back, the state is lost, or both', async () => {
    const { open, at, dates, home } = await scene()
    at(2026, 2, 29, 18, 30)
    await open().look()
    at(2026, 2, 30, 18, 30)
    await open().look()
    at(2026, 2, 29, 19, 0)
    await open().look()
    home.put(
      'Logs/orchestrator_state.json',
      home.text('Logs/orchestrator_state.json').replace(/"digest":\{.*?\}/, '"digest":{}'),
    )
    at(2026, 2, 30, 20, 0)
    await open().look()
    expect(await dates()).toEqual(['2026-03-29', '2026-03-30'])
  })

  it('is not sent on a day of nothing', async () => {
    const { open, at, dates, told } = await scene(true)
    at(2026, 2, 1, 18, 0)
    await open().look()
    await open().look()
    expect([await dates(), told]).toEqual([[], [expect.stringContaining('no digest is sent')]])
  })

  it('that could not be sent is tried again later, with the same text, and told once', async () => {
    const { digest, open, at, pass, fail, dates, told, spans, home } = await scene()
    at(2026, 2, 1, 18, 0)
    fail(2)
    expect([await digest.look(), await digest.look(), await dates()]).toEqual([1, 1, []])
    pass(1001)
    expect(await digest.look()).toBe(1)
    pass(1001)
    expect(await digest.look()).toBe(1) // it rests for longer
    pass(1000)
    expect([await open().look(), spans.length, await dates()]).toEqual([0, 1, ['2026-03-01']])
    expect(told.filter((one) => one.startsWith('trouble'))).toHaveLength(1)
    expect((await home.sent())[0]?.text).toContain('a mail, 1')
  })

  it('that could not be sent all day long is told by the next', async () => {
    const { digest, at, fail, dates, spans } = await scene()
    at(2026, 2, 1, 18, 0)
    fail(1)
    await digest.look()
    at(2026, 2, 2, 18, 0)
    await digest.look()
    expect(await dates()).toEqual(['2026-03-02'])
    expect(spans.map(([since]) => since)).toEqual([
      spans[0]?.[0],
      (spans[1]?.[1] ?? 0) - 86_400_000,
    ])
  })
})
