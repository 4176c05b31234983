/** A machine of its own, home and path and all, on which agentmail doctor looks around. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail, binary, type Env, type Ran } from '../agentmail.ts'
import { freePort } from '../server-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const lineSchema = z.object({
  check: z.string(),
  state: z.enum(['ok', 'off', 'warn', 'problem']),
  says: z.string(),
  advice: z.string().nullable(),
})

const reportSchema = z.strictObject({
  post_office: z.string().nullable(),
  checks: z.array(lineSchema),
  problems: z.number(),
  warnings: z.number(),
  fixed: z.array(z.string()),
  findings: z.array(z.object({ subject: z.string(), problem: z.string(), advice: z.string() })),
})

export type Report = z.infer<typeof reportSchema>

export class DoctorMachine {
  readonly home = temporaryFolder()
  readonly repository = join(this.home, 'shop')
  readonly env: Env

  private constructor(port: number) {
    for (const folder of ['bin', 'shop']) mkdirSync(join(this.home, folder))
    execFileSync('git', ['init', '--quiet', this.repository])
    symlinkSync(binary, this.at('bin/agentmail'))
    this.env = {
      HOME: this.home,
      PATH: [this.at('bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      XDG_DATA_HOME: undefined,
      AGENTMAIL_PORT: String(port),
    }
  }

  static async open(): Promise<DoctorMachine> {
    return new DoctorMachine(await freePort())
  }

  get port(): number {
    return Number(this.env.AGENTMAIL_PORT)
  }

  at(path: string): string {
    return join(this.home, path)
  }

  put(path: string, content: string, mode = 0o600): string {
    mkdirSync(dirname(this.at(path)), { recursive: true, mode: 0o700 })
    writeFileSync(this.at(path), content, { mode })
    return this.at(path)
  }

  read = (path: string) => readFileSync(this.at(path), 'utf8')
  mode = (path: string) => (statSync(this.at(path)).mode & 0o777).toString(8)
  /** Every file and folder there is. */
  files = () =>
    readdirSync(this.home, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/\.git\/|^\.cache/.test(name))
      .sort()

  run(args: string[], env: Env = {}, cwd = this.repository): Promise<Ran> {
    return agentmail(args, { cwd, env: { ...this.env, ...env } })
  }

  async ok(args: string[], env: Env = {}): Promise<void> {
    const { exitCode, stderr } = await this.run(args, env)
    if (exitCode !== 0) throw new Error(`agentmail ${args.join(' ')} failed: ${stderr}`)
  }

  /** Ends with the test. */
  async up(env: Env = {}): Promise<void> {
    onTestFinished(async () => void (await this.run(['down'], env)))
    await this.ok(['up'], env)
  }

  /** What doctor says; its exit code and its counts are as its lines. */
  async doctor(env: Env = {}, ...args: string[]): Promise<Report> {
    const { stdout, stderr, exitCode } = await this.run(['doctor', '--json', ...args], env)
    if (stdout === '') throw new Error(`doctor said nothing: ${stderr}`)
    const report = reportSchema.parse(JSON.parse(stdout))
    const count = (state: string) => report.checks.filter((one) => one.state === state).length
    const isTrue = report.problems === count('problem') && report.warnings === count('warn')
    if (!isTrue || exitCode !== (report.problems > 0 ? 1 : 0)) throw new Error(stdout)
    return report
  }
}

/** The lines about something, as `state: words`. */
export const said = ({ checks }: Report, about: string): string[] =>
  checks.filter(({ check }) => check === about).map(({ state, says }) => `${state}: ${says}`)

/** What is to be done about something. */
export const advised = ({ checks }: Report, about: string): string =>
  checks
    .filter(({ check }) => check === about)
    .map(({ advice }) => advice ?? '')
    .join('\n')

export const wrongIn = ({ checks }: Report): string[] =>
  checks.filter(({ state }) => state === 'problem' || state === 'warn').map(({ check }) => check)
