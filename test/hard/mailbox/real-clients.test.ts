/** The mailman beside the real Claude Code, Codex and Gemini CLI: it wakes who is idle, and answers for nobody. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { type Client, clients, commandOf, programOf } from '../../support/clients/clients.ts'
import { endAll } from '../../support/clients/coding-agent.ts'
import { type ScriptedModel, startScriptedModel } from '../../support/clients/scripted-model.ts'
import { eventually } from '../../support/eventually.ts'
import {
  getReady,
  nudge,
  type RunningMailman,
  startMailman,
} from '../../support/mailbox/mailman.ts'
import { attach, openSession, type Session, sendOk } from '../../support/mailbox/tmux.ts'
import { describeWith, pathOf } from '../../support/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

interface Agent {
  client: Client
  name: string
  window: number
  model: ScriptedModel
  /** A file that is there once its question was answered with yes. */
  harm: string
}

describeWith(['tmux', ...clients.map(programOf)], 'the mailman beside real coding agents', () => {
  const atEnd = afterAllTests()
  let session: Session
  let mailman: RunningMailman
  let agents: Agent[]

  /** All three at once: each takes its time to start and to draw. */
  const each = async (act: (agent: Agent) => Promise<unknown>) => {
    const results = await Promise.allSettled(agents.map(act)) // none goes on into the next test
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
  /** They work in folders of their own, which `send` warns of. */
  const write = (to: string, text: string) =>
    sendOk(session, 0, to, text, { mayWarn: /^warning: .*\n$/ })

  const screen = ({ window }: Agent) => session.screen(window)
  const shows = (agent: Agent, what: RegExp) =>
    eventually(`${agent.name} shows ${what}`, () => what.test(screen(agent))).catch((error) => {
      throw new Error(`${error.message}; it shows:\n${screen(agent)}`)
    })
  const press = ({ window }: Agent, ...keys: string[]) =>
    session.tmux('send-keys', '-t', session.pane(window), ...keys)

  /** As a person does it. */
  async function enter(agent: Agent, text: string): Promise<void> {
    press(agent, '-l', text)
    await shows(agent, new RegExp(text))
    await pause(500) // an Enter right behind it would be taken for pasted
    press(agent, 'Enter')
  }

  const lines = (name: string) =>
    session.tmux('show-messages').match(new RegExp(`message: agentmail: .*${name}.* ha`, 'g'))

  /** New mail makes a line and a bell, and not a key is typed. */
  async function isLeftAlone(agent: Agent, why: string): Promise<void> {
    const { name, window, model } = agent
    const told = lines(name)?.length ?? 0
    const from = mailman.stdout().length
    await write(name, 'hello')
    await mailman.says(` ${name} has mail, told by line and bell: ${why}`, from)
    await eventually('the bell rings', () => session.hasRung(window))
    await eventually('the line is shown', () => (lines(name)?.length ?? 0) > told)
    expect(screen(agent)).not.toContain(nudge)
    expect([name, model.has(nudge)]).toEqual([name, false])
    session.tmux('select-window', '-t', session.pane(window), ';', 'select-window', '-t', 'test:^')
  }

  beforeAll(async () => {
    session = openSession(['one'], 'cat', atEnd)
    await attach(session)
    agents = await Promise.all(
      clients.map(async (client) => {
        const [home, folder] = [temporaryFolder(atEnd), temporaryFolder(atEnd)]
        execFileSync('git', ['init', '--quiet', folder])
        const model = await startScriptedModel(atEnd)
        const place = { home, folder, model: model.url }
        const command = commandOf(client, pathOf(programOf(client)), place)
        const window = session.open(client.name, ...command)
        atEnd(() => endAll(session, window))
        return { client, name: client.name, window, model, harm: join(folder, 'harm') }
      }),
    )
    mailman = await startMailman(session, { AGENTMAIL_NUDGE_SECONDS: '0' }, atEnd)
    await each((agent) => shows(agent, agent.client.idle))
  })

  it('types nothing behind a half-typed prompt', () =>
    each(async (agent) => {
      await getReady(session, mailman, agent.window, agent.name)
      press(agent, '-l', 'Write the')
      await shows(agent, /Write the *$/m)
      await isLeftAlone(agent, 'its screen is not as it was')
      expect(screen(agent)).toMatch(/Write the *$/m)
      press(agent, 'C-u')
      await shows(agent, agent.client.idle)
    }))

  it('types nothing into a menu', () =>
    each(async (agent) => {
      const [word, menu] = agent.client.menu
      await getReady(session, mailman, agent.window, agent.name)
      await enter(agent, word)
      await shows(agent, menu)
      await isLeftAlone(agent, 'its screen is not as it was')
      expect(screen(agent)).toMatch(menu)
      press(agent, 'Escape')
      await shows(agent, agent.client.idle)
    }))

  it('types nothing where somebody scrolls back', () =>
    each(async (agent) => {
      await getReady(session, mailman, agent.window, agent.name)
      session.tmux('copy-mode', '-t', session.pane(agent.window))
      await isLeftAlone(agent, 'its pane is in copy mode')
      press(agent, '-X', 'cancel')
    }))

  it('types nothing while a turn runs', () =>
    each(async (agent) => {
      await getReady(session, mailman, agent.window, agent.name)
      let finish = () => {}
      const after = new Promise<void>((resolve) => {
        finish = resolve
      })
      agent.model.next({ text: 'It is done.', after })
      await enter(agent, 'Think about it')
      await shows(agent, agent.client.running)
      await isLeftAlone(agent, 'its screen is not as it was')
      finish()
      await shows(agent, /It is done\./)
      await shows(agent, agent.client.idle)
    }))

  it('does not answer a question that was asked after it was ready', () =>
    each(async (agent) => {
      await getReady(session, mailman, agent.window, agent.name)
      agent.model.next(agent.client.run(`touch ${agent.harm}`))
      await enter(agent, 'Try it')
      await shows(agent, agent.client.question)
      await isLeftAlone(agent, 'its screen is not as it was')
      expect(screen(agent)).toMatch(agent.client.question)
      expect(existsSync(agent.harm)).toBe(false)
    }))

  it('does not answer one that is open while the agent says ready, as in the middle of a turn', () =>
    each(async (agent) => {
      await session.run(agent.window, ['status', 'ready'])
      await isLeftAlone(agent, '')
      expect(screen(agent)).toMatch(agent.client.question)
      expect(existsSync(agent.harm)).toBe(false)
    }))

  it('would have answered it by typing (control)', () =>
    each(async (agent) => {
      press(agent, '-l', nudge)
      await pause(500)
      press(agent, 'Enter')
      const isHarmed = () => existsSync(agent.harm)
      const isCancelled = () => !agent.client.question.test(screen(agent))
      await eventually(`${agent.name} takes it for an answer`, () =>
        agent.name === 'gemini' ? isHarmed() || isCancelled() : isHarmed(),
      )
      await shows(agent, agent.client.idle)
    }))

  it('wakes an idle agent, once', () =>
    each(async (agent) => {
      const { name, window, model } = agent
      press(agent, 'C-u')
      await shows(agent, agent.client.idle)
      const before = model.timesSaid(nudge)
      await getReady(session, mailman, window, name)
      await write(name, 'hello')
      await mailman.says(` nudged ${name}\n`)
      await eventually('its model hears of it', () => model.timesSaid(nudge) === before + 1)
      await shows(agent, agent.client.idle)
      const from = mailman.stdout().length
      await write(name, 'more')
      await mailman.says(` ${name} has mail, told by line and bell: its screen is not as`, from)
      expect(model.timesSaid(nudge)).toBe(before + 1)
    }))
})
