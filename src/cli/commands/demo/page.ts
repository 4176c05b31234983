/** agentmail demo --page: a day of agents in a folder of its own, and the page on it until somebody has seen enough. */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../../config.ts'
import { hereAt } from '../../../connection/here.ts'
import { openProject } from '../../../connection/open-coordination.ts'
import { AgentMailError } from '../../../errors.ts'
import type { Serving } from '../../../server/serve.ts'
import { databaseOf } from '../../../store/database.ts'
import { systemClock } from '../../../system/clock.ts'
import { log } from '../../../system/log.ts'
import { shellWord } from '../../../system/text.ts'
import { type Call, flagText } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { apiDay } from './day/api.ts'
import { playedOn } from './day/played-on.ts'
import { scenesIn } from './day/script.ts'
import { shopAfternoon } from './day/shop-afternoon.ts'
import { shopMorning } from './day/shop-morning.ts'
import { demoConfig, furnish, makeTemporaryFolder } from './folder.ts'
import { type Cast, Player } from './player.ts'
import { fillPost, pagePost } from './post.ts'
import { makeRepositories } from './repositories.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** What goes on comes to an end, for a demo that was forgotten: this is some hours. */
const mostRounds = 40

export async function runPageDemo({ flags, json }: Call): Promise<number> {
  const folder = makeTemporaryFolder()
  const demo = new PageDemo(folder, {
    port: flagText(flags.port),
    json,
    still: flags.still === true,
  })
  try {
    const exitCode = await demo.run()
    if (!json) print(`It has ended, and ${folder} goes with it.`)
    return exitCode
  } finally {
    process.chdir(dirname(folder))
    remove(folder)
  }
}

const remove = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

interface Wishes {
  port: string | undefined
  json: boolean
  /** Nothing goes on. */
  still: boolean
}

class PageDemo {
  readonly #folder: string
  readonly #config: Config
  readonly #wishes: Wishes
  readonly #cast: Cast = new Map()
  readonly #ending = new AbortController()
  /** From then on the server hears when it is to end. */
  #isServing = false

  constructor(folder: string, wishes: Wishes) {
    this.#folder = folder
    this.#wishes = wishes
    this.#config = pageConfig(folder, wishes.port ?? '0')
  }

  async run(): Promise<number> {
    for (const signal of stopSignals) process.on(signal, () => this.#stopEarly())
    const steps = [
      () => furnish(this.#folder, pagePost),
      () => makeRepositories(this.#folder),
      async () => process.chdir(join(this.#folder, 'shop')),
      () => this.#playDay(),
      // Nobody is given a mail who is not there.
      () => fillPost(this.#config.with(neverStale), this.#folder),
    ]
    for (const step of steps) {
      await step()
      if (this.#ending.signal.aborted) return 1
    }
    const { runServer } = await import('../../../server/serve.ts')
    return runServer(this.#config, { onServing: (serving) => this.#serve(serving) })
  }

  /** What is under way is finished, or it would be written into a folder that is being removed. The server ends by itself. */
  #stopEarly(): void {
    if (this.#isServing) return
    if (this.#ending.signal.aborted) process.exit(1)
    this.#ending.abort()
  }

  /** With a clock that says when each scene was. */
  async #playDay(): Promise<void> {
    const config = this.#config
    const here = await hereAt(config, process.cwd())
    const end = systemClock.now()
    let now = end
    const clock = { now: () => now }
    const options = { create: true, clock }
    const { coordination } = await openProject(config, databaseOf(config), here, options)
    try {
      const player = new Player({ ...this.#stage, coordination, clock })
      for (const { project, scene } of day()) {
        if (this.#ending.signal.aborted) return
        now = end - scene.time * 60_000
        await player.play(scene, project)
      }
      now = end
    } finally {
      await coordination.close()
    }
  }

  get #stage() {
    const config = this.#config
    return { config, folder: this.#folder, cast: this.#cast }
  }

  /** Gives how all of it is ended. */
  async #serve({ url, coordination }: Serving): Promise<() => Promise<void>> {
    const { runOrchestrator } = await import('../../../orchestrator/run-orchestrator.ts')
    this.#isServing = true
    // One that came just before the server could hear it.
    if (this.#ending.signal.aborted) process.kill(process.pid, 'SIGTERM')
    const player = new Player({ ...this.#stage, coordination, clock: systemClock })
    await player.begin()
    const { signal } = this.#ending
    const working = [
      runOrchestrator(this.#config, { isOnce: false, signal, onEvent: () => {} }).catch(tell),
      ...(this.#wishes.still ? [] : [this.#goOn(player).catch(tell)]),
    ]
    this.#say(url)
    return async () => {
      this.#ending.abort()
      await Promise.all(working)
    }
  }

  async #goOn(player: Player): Promise<void> {
    const { signal } = this.#ending
    const scenes = scenesIn(playedOn)
    for (let round = 0; round < mostRounds; round++) {
      for (const scene of scenes) {
        await pause(scene.time * 1000, signal)
        if (signal.aborted) return
        // Whoever looks may have changed what the script counts on.
        await player.play(scene).catch((error) => {
          if (!AgentMailError.is(error)) throw error
        })
      }
    }
  }

  #say(url: string): void {
    const folder = this.#folder
    if (this.#wishes.json) {
      const database = join(folder, 'agentmail.db')
      printJson({ event: 'started', url, folder, database, pid: process.pid })
      return
    }
    print(`A day of agents in a shop, who build coupons: ${url}/  (open it in a browser)

  Decide         drafts wait, one of them urgent; an approved one goes out as a file in mail/sent/
  Answer         two questions to you, a window that waits for your yes, a mail from ops
  Look           docs is silent and holds three files; tests changed a file that api-builder holds

All of it is in ${shellWord(folder)}, nothing of yours is touched.
Ctrl-C ends it and removes the folder.`)
  }
}

/** Whoever asks for names on the database itself removes those who were silent for long. */
const neverStale = { AGENTMAIL_STALE_SECONDS: '1000000' }

/** Nothing of the user's own settings, projects, mail or servers is touched. */
const pageConfig = (folder: string, port: string): Config => {
  return demoConfig(folder).with({
    AGENTMAIL_DB: join(folder, 'agentmail.db'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    AGENTMAIL_PORT: port,
    // Whoever is silent in this story stays so.
    AGENTMAIL_SWEEP_SECONDS: '1000000',
  })
}

/** The scenes of both projects, as they came. */
const day = () =>
  Object.entries({ shop: shopMorning + shopAfternoon, api: apiDay })
    .flatMap(([project, script]) => scenesIn(script).map((scene) => ({ project, scene })))
    .sort((one, other) => other.scene.time - one.scene.time)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

const tell = (error: unknown): void =>
  log(`the demo: ${error instanceof Error ? error.message : error}`)
