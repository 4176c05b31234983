/** What agentmail doctor says of a project: asked in its folder, one after the other. */
import * as z from 'zod'
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { runOwnCommand } from '../system/run-program.ts'
import { jsonOf } from '../system/text.ts'
import type { DoctorPage } from './shapes.ts'

const doctorMs = 60_000

const answerSchema = z.object({
  checks: z.array(
    z.object({
      check: z.string(),
      state: z.string(),
      says: z.string(),
      advice: z.string().nullable(),
    }),
  ),
})

export class Doctor {
  readonly #config: Config
  /** Those under way, by folder: whoever asks meanwhile shares the answer. */
  readonly #asked = new Map<string, Promise<DoctorPage>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(config: Config) {
    this.#config = config
  }

  look(folder: string): Promise<DoctorPage> {
    const known = this.#asked.get(folder)
    if (known) return known
    const answer = this.#last.then(() => this.#ask(folder))
    this.#asked.set(folder, answer)
    this.#last = answer.catch(() => {}).finally(() => this.#asked.delete(folder))
    return answer
  }

  async #ask(cwd: string): Promise<DoctorPage> {
    // The project that the server was told is not that of every folder.
    const { AGENTMAIL_PROJECT: _, ...env } = this.#config.environment()
    const options = { cwd, env, timeout: doctorMs }
    const { outcome, stdout } = await runOwnCommand(['doctor', '--json'], options)
    const { data } = answerSchema.safeParse(jsonOf(stdout))
    if (data) return data
    const why = {
      timeout: `did not end within ${doctorMs / 1000} s in ${cwd}`,
      missing: `cannot look at ${cwd}: there is no such folder any more`,
    }
    const words = outcome === 'timeout' || outcome === 'missing' ? why[outcome] : `failed in ${cwd}`
    const next = 'Run agentmail doctor where the repository is.'
    throw new AgentMailError('bad_answer', `agentmail doctor ${words}`, next)
  }
}
