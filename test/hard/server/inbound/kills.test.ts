/** A server that takes in mail is killed again and again: what it has said yes to is on disk, whole and once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../support/agentmail.ts'
import { expectDamage } from '../../../support/control-run.ts'
import { InboundPlace, rawMail } from '../../../support/email/inbound/inbound-place.ts'
import { postmarkSample } from '../../../support/email/inbound/postmark-sample.ts'
import { loading } from '../../../support/loading.ts'
import { isLong } from '../../../support/parts.ts'
import { chosenSeed, randomFrom } from '../../../support/seeded-random.ts'
import type { Reply } from '../../../support/server/http.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 300_000 })

const inFlight = 6
const line = 'All work and no play makes a long mail.\r\n'

/** One mail, of which every second comes as Postmark brings it. */
const mailOf = (number: number, body: string): object | string =>
  number % 2 === 0
    ? rawMail(`mail-${number}`, `${body}end-${number}`)
    : {
        ...postmarkSample,
        MessageID: `id-${number}`,
        Subject: `mail-${number}`,
        TextBody: `${body}end-${number}`,
        HtmlBody: '',
        Attachments: [],
        Headers: [{ Name: 'Message-ID', Value: `<${number}@mail.example>` }],
      }

class Deliveries {
  readonly place: InboundPlace
  readonly acknowledged = new Set<number>()
  readonly #body: string
  count = 0

  constructor(place: InboundPlace, lines: number) {
    this.place = place
    this.#body = line.repeat(lines)
  }

  bring(number: number): Promise<Reply> {
    return this.place.post(mailOf(number, this.#body))
  }

  /** Brings mails, several at a time, until the server is gone: killed so long after it has said so often yes. */
  async untilKilled(times: number, ms: number): Promise<void> {
    let isKilled = false
    let taken = 0
    const kill = () => {
      isKilled = true
      this.place.server.child.kill('SIGKILL')
    }
    const bring = async () => {
      while (!isKilled) {
        const number = this.count++
        const reply = await this.bring(number).catch(() => undefined)
        if (reply?.status !== 200) continue
        this.acknowledged.add(number)
        if (++taken === times) setTimeout(kill, ms)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, bring))
    await this.place.server.ended
  }

  /** How often each mail is there, whole; and how many files are something else. */
  stored(): { times: Map<number, number>; torn: number } {
    const times = new Map<number, number>()
    let torn = 0
    for (const name of this.place.mails) {
      const text = this.place.read(name).toString('latin1')
      const number = Number(/^Subject: mail-(\d+)\r$/m.exec(text)?.[1])
      const isWhole = text.trimEnd().endsWith(`end-${number}`)
      if (isWhole) times.set(number, (times.get(number) ?? 0) + 1)
      else torn++
    }
    return { times, torn }
  }

  /** What was acknowledged and is not there once, and what is there in part. */
  damage(): number {
    const { times, torn } = this.stored()
    return torn + [...this.acknowledged].filter((number) => times.get(number) !== 1).length
  }
}

/** Kills it so often, brings everything again, and gives what is wrong. */
async function killedServer(
  kills: number,
  {
    env = {},
    lines = 5000,
    seed = chosenSeed(),
  }: { env?: Env; lines?: number; seed?: number } = {},
): Promise<number> {
  const random = randomFrom(seed)
  const place = await InboundPlace.start(env)
  const all = new Deliveries(place, lines)
  for (let round = 0; round < kills; round++) {
    await all.untilKilled(1 + Math.floor(random() * 5), random() * 100)
    const wrong = all.damage()
    if (wrong > 0) return wrong
    await place.restart()
  }
  // Whoever got no answer brings it again, and so does one whose answer was lost.
  for (let number = 0; number < all.count; number++) {
    expect((await all.bring(number)).status).toBe(200)
    all.acknowledged.add(number)
  }
  const { times } = all.stored()
  return all.damage() + Math.abs(times.size - all.count)
}

describe('a server that is killed', () => {
  it('has every mail that it said yes to, whole and once, and takes none twice', async () => {
    expect(await killedServer(isLong ? 200 : 25)).toBe(0)
  })

  it('would have torn ones if a mail were not put in its place in one step', async () => {
    const env = loading(['careless-files'], { CARELESS: 'in place' })
    await expectDamage((seed) => killedServer(5, { env, lines: 10_000, seed }))
  })
})

describe.runIf(process.platform === 'linux')('a mail that was taken', () => {
  it('is on disk, its name too, before the answer', async () => {
    const log = join(temporaryFolder(), 'calls')
    const place = await InboundPlace.start(loading(['file-calls'], { FILE_CALLS: log }))
    const calls = () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('/inbox'))
        .map((line): string[] => JSON.parse(line))
        .map(([call = '', ...places]) =>
          [call, ...places.map((path) => path.replace(/.*\/inbox\/?/, '').replace(/\w{32}.*/, ''))]
            .join(' ')
            .trim(),
        )
        .filter((call, index, list) => call !== list[index - 1])
    await place.post(rawMail('first'))
    const before = calls().length
    expect((await place.post(rawMail('durable'))).status).toBe(200)
    expect(calls().slice(before)).toEqual([
      'write .received-',
      'fsync .received-',
      'link .received- received-',
      'fsync',
      'unlink .received-',
    ])
    const again = calls().length
    expect((await place.post(rawMail('durable'))).status).toBe(200)
    expect(calls().slice(again)).toEqual([
      'write .received-',
      'fsync .received-',
      'unlink .received-',
      'fsync',
    ])
  })
})
