/** A home with a repository, one of the real clients and a model that plays a script. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { agentmail, binary, ended, type Ran } from '../agentmail.ts'
import { pathOf } from '../parts.ts'
import { freePort } from '../server-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Client, commandOf, type Place, programOf } from './clients.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

export class ClientMachine {
  readonly home = temporaryFolder()
  readonly repository = join(this.home, 'shop')
  readonly #path = `${join(this.home, 'bin')}:`
  readonly model: ScriptedModel
  readonly client: Client
  /** Of the server, which sessions start by themselves. */
  readonly #port: string
  #isFilled = false

  private constructor(client: Client, model: ScriptedModel, port: number) {
    this.client = client
    this.model = model
    this.#port = String(port)
    onTestFinished(async () => void (await this.agentmail('down')))
    for (const folder of ['bin', 'shop']) mkdirSync(join(this.home, folder))
    execFileSync('git', ['init', '--quiet', this.repository])
    symlinkSync(binary, join(this.home, 'bin/agentmail'))
  }

  static async with(client: Client): Promise<ClientMachine> {
    const model = await startScriptedModel(onTestFinished)
    return new ClientMachine(client, model, await freePort())
  }

  /** Of AgentMail itself, as somebody else. */
  agentmail(...args: string[]): Promise<Ran> {
    const own = { HOME: this.home, XDG_DATA_HOME: undefined, AGENTMAIL_PORT: this.#port }
    return agentmail(args, { cwd: this.repository, env: { ...own, AGENTMAIL_AGENT: 'berta' } })
  }

  /** Of the client. */
  async run(...args: string[]): Promise<Ran> {
    const place = { home: this.home, folder: this.repository, model: this.model.url }
    const env = (at: Place) => ({
      ...this.client.env(at),
      AGENTMAIL_PORT: this.#port,
      AGENTMAIL_HOOK_MS: '4000', // of a busy machine
    })
    const client = { ...this.client, env, ...(this.#isFilled && { files: () => ({}) }) }
    this.#isFilled = true
    const program = pathOf(programOf(client))
    const [command = '', ...rest] = commandOf({ ...client, args }, program, place)
    const withOurs = rest.map((arg) => arg.replace(/^PATH=/, `PATH=${this.#path}`))
    const child = spawn(command, withOurs, { timeout: 50_000 })
    child.stdin.end()
    return ended(child)
  }
}
