/** Hints of what has no entry in a journal, and signs of life. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { hereAt, keyAt } from '../../src/connection/here.ts'
import { rememberOffice } from '../../src/mailbox/known-offices.ts'
import { PostOffice } from '../../src/mailbox/post-office.ts'
import { eventually } from '../support/eventually.ts'
import { newDatabase, watched } from '../support/person/watched.ts'
import { callerAs } from '../support/sessions/callers.ts'
import { upTo } from '../support/store/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const newcomer = { name: 'ann', role: 'coder' }

describe('a page is hinted', () => {
  it('that a message to a name was told or read, and that nothing was where that is known', async () => {
    const { coordination } = await (await newDatabase()).server()
    const { agents, messages, receipts } = coordination.project('one')
    const { agent_id } = await agents.register(newcomer)
    const letter = { agent_id, channel: '@bob', subject: 's', body: 'b' }
    const { message_id } = await messages.send(letter)
    const viewer = await watched(coordination).open()
    await receipts.notified('bob', message_id, 'keys')
    await viewer.untilHint('receipts', 'one')
    const hints = () => viewer.hinted('receipts')
    const before = hints()
    await receipts.notified('bob', message_id, 'keys')
    expect(hints()).toBe(before)
    await receipts.read([message_id])
    await eventually('the reading is hinted at', () => hints() > before)
  })

  it('that a session is at work or waits', async () => {
    const { coordination } = await (await newDatabase()).server()
    const { sessions } = coordination.project('one')
    await sessions.start(callerAs('s1'))
    const viewer = await watched(coordination).open()
    await sessions.note(callerAs('s1'), 'work')
    await viewer.untilHint('agents', 'one')
  })

  it('of whatever else somebody has to tell, a crowd of it as two', async () => {
    const { coordination } = await (await newDatabase()).server()
    await coordination.project('one').agents.register(newcomer)
    const { watch, open } = watched(coordination)
    const viewer = await open()
    for (const _ of upTo(1000)) coordination.journals.tell({ about: 'conflicts', project: 'one' })
    watch.hint('drafts')
    await viewer.untilHint('conflicts', 'one')
    await viewer.untilHint('drafts')
    const told = () => viewer.hinted('conflicts')
    await eventually('the rest is told as one', () => told() === 2)
    watch.hint('mail')
    await viewer.untilHint('mail')
    expect(told()).toBe(2)
  })
})

describe('a page is told of files', () => {
  /** A project in whose folder nobody has opened a post office yet. */
  async function folderOf(vault?: string) {
    const { coordination } = await (await newDatabase()).server()
    const config = new Config({}, { ...process.env, ...(vault && { VAULT_PATH: vault }) })
    const folder = temporaryFolder()
    const key = await keyAt(coordination.projects, await hereAt(config, folder))
    await coordination.project(key).agents.register(newcomer)
    const name = await coordination.projects.nameOf(key)
    return { config, folder, name, ...watched(coordination, config) }
  }

  it('in a post office, also one that is made after the page was opened', async () => {
    const { open, folder, config, name } = await folderOf()
    const viewer = await open()
    const { dir } = new PostOffice(join(folder, '.agentmail'))
    new PostOffice(dir).create()
    rememberOffice(config, dir)
    await viewer.untilHint('mailbox', name)
    const hints = () => viewer.hinted('mailbox')
    for (const file of ['mailboxes/bob.jsonl', 'recipients.jsonl', 'receipts/bob.jsonl']) {
      const before = hints()
      appendFileSync(join(dir, file), '{}\n')
      await eventually(`${file} is hinted at`, () => hints() > before)
    }
  })

  it('in the vault, also in folders that are made after the page was opened', async () => {
    const vault = join(temporaryFolder(), 'vault')
    const { open } = await folderOf(vault)
    const viewer = await open()
    mkdirSync(join(vault, 'Drafts'), { recursive: true })
    writeFileSync(join(vault, 'Drafts/one.md'), 'x')
    await viewer.untilHint('drafts')
    mkdirSync(join(vault, 'Needs_Action'))
    await viewer.untilHint('mail')
    const hints = () => viewer.hinted('drafts')
    const before = hints()
    writeFileSync(join(vault, 'Drafts/one.md'), 'y')
    await eventually('the change is hinted at', () => hints() > before)
  })
})

describe('a page is told who is alive', () => {
  it('of those who call, in parts, and not of those whose connection is open', async () => {
    const { coordination } = await (await newDatabase()).server()
    const project = coordination.project('one')
    const ids = await Promise.all(
      upTo(250).map(
        async (n) => (await project.agents.register({ name: `a${n}`, role: 'r' })).agent_id,
      ),
    )
    project.hold(ids[0] ?? '')
    const viewer = await watched(coordination).open()
    const callers = ids.slice(1, 240)
    await Promise.all(callers.map((agent_id) => project.agents.heartbeat({ agent_id })))
    await project.messages.read({ agent_id: ids[240] ?? '' })
    await coordination.sweep() // which keeps all signs of life first
    await viewer.until('seen', 2)
    const seen = viewer.seen
    expect(seen.map(({ agents }) => agents.length)).toEqual([200, 40])
    expect(seen.flatMap(({ agents }) => agents).sort()).toEqual(ids.slice(1, 241).sort())
    expect(seen[0]).toMatchObject({ project: 'one', at: expect.stringMatching(/Z$/) })
  })
})
