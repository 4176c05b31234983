/** Hooks that are answered while whoever hears them says nothing until it is told to. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { HookAnswering } from '../../../src/hooks/answering.ts'
import type { SessionDesk } from '../../../src/sessions/hear.ts'
import type { HookAnswer, SessionMoment, Surroundings } from '../../../src/sessions/moment.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { temporaryFolder } from '../temporary-folder.ts'

interface Heard {
  desk: SessionDesk
  told: SessionMoment
  around: Surroundings | undefined
  isLate: (() => boolean) | undefined
}

interface Scene {
  /** How long hooks may take from now on. */
  hookMs: number
  repository: string
  heard: Heard[]
  /** Answers the hook that waits longest. */
  say(answer: HookAnswer | Error): Promise<void>
  /** Whether each hook that was heard is told by now that nobody listens any more. */
  late(): (boolean | undefined)[]
  /** What a client of this session is answered. */
  ask(
    event: string,
    more?: { client?: string; headers?: Record<string, string>; input?: object; isGone?: boolean },
  ): Promise<unknown>
}

/** Whoever is asked says nothing until it is told to. */
export async function openScene(hookMs: number): Promise<Scene> {
  const folder = temporaryFolder()
  const repository = join(folder, 'repo')
  for (const part of ['.git/objects', '.git/refs', 'sub']) {
    mkdirSync(join(repository, part), { recursive: true })
  }
  writeFileSync(join(repository, '.git/HEAD'), 'ref: refs/heads/main\n')
  const store = await openSqlite(join(folder, 'mail.db'))
  const coordination = await Coordination.open({ store, staleMs: 120_000 })
  onTestFinished(() => coordination.close())
  const heard: Heard[] = []
  const waiting: ((answer: HookAnswer | Error) => void)[] = []
  const answering = new HookAnswering({
    config: new Config(),
    coordination,
    get hookMs() {
      return scene.hookMs
    },
    hear: (desk, told, around, isLate) =>
      new Promise((resolve, reject) => {
        heard.push({ desk, told, around, isLate })
        waiting.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)))
      }),
  })
  const until = async <T>(found: () => T | undefined): Promise<T> => {
    for (;;) {
      const value = found()
      if (value !== undefined) return value
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const scene: Scene = {
    hookMs,
    repository,
    heard,
    late: () => heard.map(({ isLate }) => isLate?.()),
    async say(answer) {
      const next = await until(() => waiting.shift())
      next(answer)
      await new Promise((resolve) => setImmediate(resolve))
    },
    async ask(event, { client = 'claude', headers = {}, input = {}, isGone = false } = {}) {
      const given = { session_id: 's', cwd: repository, hook_event_name: event, ...input }
      const text = await answering.answer({
        ...{ client, headers, event: undefined, text: JSON.stringify(given) },
        ...{ isGone: () => isGone, track: () => {} },
      })
      return JSON.parse(text)
    },
  }
  return scene
}
