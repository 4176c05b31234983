/** Agents in a repository that send mail by their tools, people who answer, and the orchestrator that takes the answers in. */
import { join } from 'node:path'
import { expect } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env } from '../agentmail.ts'
import { repository } from '../mailbox/tmux.ts'
import { LineClient } from '../mcp/line-client.ts'
import { mail, putQuiet } from '../providers/local-folder.ts'
import { OrchestratorHome } from './orchestrator-home.ts'

const messagesSchema = z.object({
  messages: z.array(z.object({ channel: z.string(), subject: z.string(), body: z.string() })),
})
const logSchema = z.object({
  mails: z.array(
    z.looseObject({
      subject: z.string(),
      agent: z.string().nullable(),
      project: z.string().nullable(),
    }),
  ),
})

export const toAgents: Env = { AGENTMAIL_REPLIES: 'agent' }

export class AskedHome {
  readonly home: OrchestratorHome
  /** Where the agents work, which is not where the orchestrator does. */
  readonly repository: string
  #answers = 0

  private constructor(home: OrchestratorHome, place: string) {
    this.home = home
    this.repository = place
  }

  static async make(rules: object[] = [], env: Env = {}): Promise<AskedHome> {
    return new AskedHome(await OrchestratorHome.make(rules, env), repository())
  }

  get project(): string {
    return this.repository.split('/').at(-1) ?? ''
  }

  /** Registers an agent, which lives on. */
  async register(agent: string, cwd = this.repository): Promise<void> {
    await this.as(agent, ['claim', `${agent}.txt`], {}, cwd)
  }

  /** Registers one that waits for mail; gives what it is woken with. */
  async waiting(agent: string): Promise<() => Promise<unknown>> {
    const client = await LineClient.open({
      args: ['mcp', 'coordination'],
      env: { ...this.home.env, AGENTMAIL_AGENT: agent },
      cwd: this.repository,
    })
    const { result } = await client.call('register', { name: agent, role: 'coder' })
    const { agent_id } = Object(Object(result).structuredContent)
    const woken = client.call('read_messages', { agent_id, unread: true, wait_seconds: 50 })
    return async () => (await woken).result
  }

  async as(agent: string, args: string[], env: Env = {}, cwd = this.repository) {
    const ran = await agentmail(args, {
      cwd,
      env: { ...this.home.env, AGENTMAIL_AGENT: agent, ...env },
    })
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
    return ran
  }

  /** By the tool, as a client of the agent calls it. */
  async send(agent: string, subject: string, env: Env = {}): Promise<Record<string, unknown>> {
    const client = await LineClient.open({
      args: ['mcp', 'gmail'],
      env: { ...this.home.env, AGENTMAIL_AGENT: agent, ...env },
      cwd: this.repository,
    })
    const asked = { to: 'jane@example.com', subject, body: 'When?' }
    const { result } = await client.call('send_email', asked)
    expect(result).not.toMatchObject({ isError: true })
    await client.finish()
    return Object(Object(result).structuredContent)
  }

  /** The Message-ID of the mail with this subject that went out. */
  async sentId(subject: string): Promise<string> {
    const found = (await this.home.sent()).filter((one) => one.subject === subject)
    if (found.length === 1 && found[0]?.messageId) return found[0].messageId
    throw new Error(`${found.length} mails were sent with the subject ${subject}`)
  }

  /** An answer, or whatever passes itself off as one. */
  drop(subject: string, headers: Record<string, string>, body = 'On Monday.'): void {
    const id = `<answer-${++this.#answers}@example.com>`
    const date = new Date(Date.now() - 60_000 + this.#answers).toUTCString()
    const text = mail({ Subject: subject, 'Message-ID': id, Date: date, ...headers }, body)
    putQuiet(join(this.home.folder, `mail/inbox/answer-${this.#answers}.eml`), text)
  }

  async answer(subject: string, body?: string): Promise<void> {
    this.drop(`Re: ${subject}`, { 'In-Reply-To': await this.sentId(subject) }, body)
  }

  /** Everything that was said in the agents' project. */
  async messages(): Promise<z.infer<typeof messagesSchema>['messages']> {
    const { stdout } = await agentmail(['messages', '--json'], {
      cwd: this.repository,
      env: this.home.env,
    })
    return messagesSchema.parse(JSON.parse(stdout)).messages
  }

  async log(): Promise<Record<string, unknown>[]> {
    const { stdout } = await this.home.run(['mail', 'log', '--json'])
    return logSchema.parse(JSON.parse(stdout)).mails
  }
}
