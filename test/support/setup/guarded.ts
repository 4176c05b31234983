/** A repository with the guard in its pre-commit hook, and agents that hold files. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentmail, type Env, plainEnv, type Ran } from '../agentmail.ts'
import { repository } from '../mailbox/tmux.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export class Guarded {
  readonly folder: string
  readonly env: Env

  constructor(folder = repository()) {
    this.folder = folder
    const identity = { NAME: 'test', EMAIL: 'test@example.com' }
    this.env = {
      XDG_DATA_HOME: temporaryFolder(),
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) =>
          Object.entries(identity).map(([what, value]) => [`GIT_${who}_${what}`, value]),
        ),
      ),
    }
  }

  static async install(folder?: string): Promise<Guarded> {
    const guarded = new Guarded(folder)
    const ran = await guarded.run(['guard', 'install'])
    if (ran.exitCode !== 0) throw new Error(`guard install failed: ${ran.stderr}`)
    return guarded
  }

  run(args: string[], env: Env = {}, cwd = this.folder, input = ''): Promise<Ran> {
    return agentmail(args, { cwd, env: { ...this.env, ...env }, input })
  }

  /** Has an agent hold files, by the command line. */
  async claim(name: string, ...files: string[]): Promise<void> {
    const ran = await this.run(['claim', ...files, '--as', name, '--role', 'backend'])
    if (ran.exitCode !== 0) throw new Error(`claim failed: ${ran.stderr}`)
  }

  write(path: string, text = 'text\n'): void {
    const file = join(this.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  git(args: string[], env: Env = {}, cwd = this.folder) {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd,
      env: plainEnv({ ...this.env, ...env }),
      encoding: 'utf8',
    })
    return { exitCode: status, stdout, stderr }
  }

  /** git that must work. */
  gitOk(...args: string[]): string {
    const { exitCode, stdout, stderr } = this.git(args, { AGENTMAIL_GUARD: 'off' })
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`)
    return stdout
  }

  /** Writes, stages all and commits. */
  commit(paths: string[], env: Env = {}) {
    for (const path of paths) this.write(path, `${paths.join()}${Math.trunc(performance.now())}\n`)
    this.gitOk('add', '--all')
    return this.git(['commit', '--quiet', '--message', 'change'], env)
  }
}
