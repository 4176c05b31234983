/** Notices of a user of the test's own, posted step by step on a clock that the test moves. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '../../../src/config.ts'
import { destinationOf } from '../../../src/notices/destination.ts'
import { Poster } from '../../../src/notices/poster.ts'
import { Spool } from '../../../src/notices/spool.ts'
import { tellPerson } from '../../../src/notices/tell-person.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { Receiver } from './receiver.ts'

export class TestNotices {
  readonly receiver: Receiver
  readonly folder: string
  readonly config: Config
  readonly spool: Spool
  readonly clock: { ms: number; now: () => number }

  private constructor(
    receiver: Receiver,
    clock: TestNotices['clock'],
    env: Record<string, string>,
  ) {
    this.receiver = receiver
    this.clock = clock
    this.folder = temporaryFolder()
    this.config = new Config(
      {},
      { AGENTMAIL_NOTIFY: receiver.url, XDG_STATE_HOME: this.folder, ...env },
    )
    this.spool = new Spool(this.config, this.destination.url)
  }

  static async start(env: Record<string, string> = {}): Promise<TestNotices> {
    const clock = { ms: Date.now(), now: () => clock.ms }
    return new TestNotices(await Receiver.start(clock.now), clock, env)
  }

  get destination() {
    const destination = destinationOf(this.config)
    if (!destination) throw new Error('Nobody is told')
    return destination
  }

  tell(subject: string, more: Partial<Parameters<typeof tellPerson>[1]> = {}): Promise<void> {
    return tellPerson(this.config, { kind: 'draft', subject, ...more })
  }

  /** As one that has just been started. */
  poster(page = '', projectOf = async (_: string) => 'default'): Poster {
    const { spool, destination, clock } = this
    return new Poster({ spool, destination, page: async () => page, projectOf, clock })
  }

  /** Until nothing waits, or a rest is longer than this. */
  async post(poster = this.poster(), patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      const restMs = await poster.step()
      if (restMs === undefined || restMs > patienceMs) return
      this.clock.ms += restMs
    }
  }

  put(name: Parameters<Spool['path']>[0], text: string | Buffer): void {
    mkdirSync(dirname(this.spool.path(name)), { recursive: true })
    writeFileSync(this.spool.path(name), text)
  }

  get state(): string {
    return join(this.folder, 'agentmail/notices')
  }
}
