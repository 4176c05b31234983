/** Idle windows of the real Claude Code and Codex, set up by `agentmail setup`: mail wakes each of them once, by its own way. */
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { agentmail, type Env } from '../../support/agentmail.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { type Client, clients, commandOf, programOf } from '../../support/clients/clients.ts'
import { type ScriptedModel, startScriptedModel } from '../../support/clients/scripted-model.ts'
import { eventually } from '../../support/eventually.ts'
import { listening } from '../../support/listening.ts'
import { openSession, type Session } from '../../support/mailbox/tmux.ts'
import { describeWith, pathOf } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const woken = clients.filter(({ name }) => name !== 'gemini')
const ways: Record<string, string> = { claude: 'rewake', codex: 'codex' }

interface Agent {
  client: Client
  window: number
  model: ScriptedModel
}

describeWith(['tmux', ...woken.map(programOf)], 'an idle window of a real client', () => {
  const atEnd = afterAllTests()
  let session: Session
  let env: Env
  let agents: Agent[]

  const screen = ({ window }: Agent) => session.screen(window)
  const shows = (agent: Agent, what: RegExp) =>
    eventually(`${agent.client.name} shows ${what}`, () => what.test(screen(agent))).catch(
      (error) => {
        throw new Error(`${error.message}; it shows:\n${screen(agent)}`)
      },
    )

  const as = (name: string, ...args: string[]) =>
    agentmail(args, { cwd: session.repository, env: { ...env, AGENTMAIL_AGENT: name } })

  /** As bob sees it. */
  async function became(
    to: string,
  ): Promise<{ state: string; notified_by?: string; text: string }[]> {
    return JSON.parse((await as('bob', 'sent', '--json', '--to', to)).stdout).sent
  }

  async function stateOf(name: string): Promise<unknown> {
    const { agents } = JSON.parse((await as('bob', 'agents', '--json')).stdout)
    return agents.find((agent: { name: string }) => agent.name === name)?.state
  }

  async function type(agent: Agent, text: string): Promise<void> {
    session.tmux('send-keys', '-t', session.pane(agent.window), '-l', text)
    await shows(agent, new RegExp(text))
    await pause(500)
    session.tmux('send-keys', '-t', session.pane(agent.window), 'Enter')
  }

  async function freePort(): Promise<string> {
    const held = createServer()
    const ends: (() => void | Promise<void>)[] = []
    const address = await listening(held, (end) => void ends.push(end))
    for (const end of ends) await end()
    return address.split(':')[1] ?? ''
  }

  beforeAll(async () => {
    const home = temporaryFolder(atEnd)
    session = openSession(['one'], 'cat', atEnd)
    const programs = woken.map((client) => dirname(pathOf(programOf(client))))
    const data = join(home, 'data')
    mkdirSync(join(data, 'agentmail'), { recursive: true })
    const shared = {
      XDG_DATA_HOME: data,
      XDG_STATE_HOME: join(home, 'state'),
      AGENTMAIL_DB: join(data, 'agentmail/agentmail.db'),
      AGENTMAIL_PORT: await freePort(),
      AGENTMAIL_HOOK_MS: '20000', // the machine may be busy
    }
    env = { ...shared, HOME: home, PATH: [...programs, process.env.PATH].join(':') }
    const opened = await Promise.all(
      woken.map(async (client) => {
        const model = await startScriptedModel(atEnd)
        const place = { home, folder: session.repository, model: model.url }
        const trust = client.name === 'codex' ? ['--dangerously-bypass-hook-trust'] : []
        const own = { ...shared, AGENTMAIL_AGENT: client.name }
        const more = {
          args: [...client.args, ...trust],
          env: (at: typeof place) => ({ ...client.env(at), ...own }),
        }
        const command = commandOf({ ...client, ...more }, pathOf(programOf(client)), place)
        return { client, model, command }
      }),
    )
    await TestServer.start(
      {
        ...{ db: shared.AGENTMAIL_DB, cwd: session.repository, env },
        args: ['--port', shared.AGENTMAIL_PORT],
      },
      atEnd,
    )
    const names = woken.map(({ name }) => name)
    const ran = await as('bob', 'setup', ...names, '--scope', 'user', '--yes')
    expect([ran.stderr, ran.exitCode]).toEqual(['', 0])
    agents = opened.map(({ client, model, command }) => ({
      ...{ client, model, window: session.open(client.name, ...command) },
    }))
    for (const agent of agents) await shows(agent, agent.client.idle)
  })

  it.each(woken.map(({ name }) => name))(
    'is woken by mail and by a message, once each: %s',
    async (name) => {
      const agent = agents.find(({ client }) => client.name === name)
      if (!agent) throw new Error(`${name} was not started`)
      const { model, client } = agent
      await type(agent, 'Good morning')
      await eventually('it has answered', () => model.requests() > 0)
      await shows(agent, client.idle)
      const words = 'AgentMail: mail waits for you, from '
      const deliveries: [string, string[]][] = [
        ['the build is red', ['send', name, 'the build is red']],
        ['the build is green', ['post', '--channel', `@${name}`, 'news', 'the build is green']],
      ]
      for (const [index, [text, command]] of deliveries.entries()) {
        await eventually('its turn has ended', async () => (await stateOf(name)) === 'ready')
        await pause(1500)
        const { stderr, exitCode } = await as('bob', ...command)
        expect([stderr, exitCode]).toEqual(['', 0])
        await eventually(`its model hears of it: ${text}`, () => model.timesHeard(text) > 0).catch(
          (error) => {
            throw new Error(`${error.message}\n${screen(agent)}`)
          },
        )
        await eventually('it is read', async () => (await became(name))[0]?.state === 'read')
        expect((await became(name))[0]).toMatchObject({
          text: expect.stringContaining(text),
          notified_by: ways[name],
        })
        await shows(agent, client.idle)
        await pause(3000) // whoever would wake it again
        expect(model.timesHeard(`${words}"bob"`)).toBe(index + 1)
        expect(model.timesHeard(`> ${text}`)).toBe(1)
      }
    },
  )
})
