/** A project with a post office and a clock of its own, and sessions of coding clients that tell of their moments there. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { Roots } from '../../../src/coordination/paths.ts'
import { PostOffice } from '../../../src/mailbox/post-office.ts'
import { hear } from '../../../src/sessions/hear.ts'
import { SessionHolds } from '../../../src/sessions/holds.ts'
import type { HookClient, Moment, Surroundings } from '../../../src/sessions/moment.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { TestClock } from '../store/databases.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const machine = 'm1'
export const inPane = (pane: string, name: string): Surroundings => ({
  tmux: { pane, server: 7, name },
})

export async function sessionScene(environment: Record<string, string> = {}) {
  const root = join(temporaryFolder(), 'repository')
  mkdirSync(root)
  const config = new Config({}, { XDG_DATA_HOME: temporaryFolder(), ...environment })
  const office = new PostOffice(join(root, '.agentmail'), config)
  const file = join(temporaryFolder(), 'agentmail.db')
  const clock = new TestClock()
  const open = async () => {
    const store = await openSqlite(file)
    const rootsOf = () => new Roots(async () => [root])
    const coordination = await Coordination.open({ store, staleMs: 120_000, clock, rootsOf })
    onTestFinished(() => coordination.close())
    return coordination
  }
  const coordination = await open()
  const project = coordination.project('p')
  const holds = new SessionHolds()
  onTestFinished(() => holds.close())
  const desk = { project, office, root, config, machine, holds }
  const session =
    (client: HookClient, id: string, around?: Surroundings, cwd = root) =>
    (moment: Moment, told = around, isLate?: () => boolean) =>
      hear(desk, { client, session: id, cwd, moment }, told, isLate)
  const agents = async () => {
    const listed = (await project.agents.list()).agents
    return listed.map(({ name }) => name).sort()
  }
  const claims = async () => {
    const held = (await project.claims.get({})).claims
    return held.map(({ file_path, holder_name }) => `${file_path} ${holder_name}`)
  }
  const status = (name: string) =>
    office.recipients.list().find((recipient) => recipient.name === name)?.status
  const register = async (name: string, role = 'coder') =>
    (await project.agents.register({ name, role })).agent_id
  const say = async (agent_id: string, channel: string, body = 'hello', subject = 'news') =>
    (await project.messages.send({ agent_id, channel, subject, body })).message_id
  return {
    ...{ root, config, office, file, clock, open, coordination, project, desk, holds },
    ...{ session, agents, claims, status, register, say },
  }
}
