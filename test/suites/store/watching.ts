/** Pages at several servers of one database: each is told everything once and in order, whichever server stored it. */
import { expect, it } from 'vitest'
import { cursorNow } from '../../../src/person/events/cursor.ts'
import { eventually } from '../../support/eventually.ts'
import { watched } from '../../support/person/watched.ts'
import {
  at,
  type NewDatabase,
  registerAgents,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const messagesEach = 30

export function watchingSuite(newDatabase: NewDatabase): void {
  it('tells the pages of each server everything once and in order, also those that come late', async () => {
    const servers = await (await TestDatabase.create(newDatabase)).servers(2)
    const pages = servers.map(({ coordination }) => watched(coordination))
    const start = await cursorNow(at(servers, 0).coordination)
    const early = await Promise.all(pages.map(({ open }) => open(start)))
    const agents = await registerAgents(servers, 8)
    await Promise.all(
      agents.map(async ({ agent_id, project }) => {
        for (const n of upTo(messagesEach)) {
          await project.messages.send({ agent_id, channel: '@b', subject: 's', body: `body ${n}` })
        }
      }),
    )
    const late = await Promise.all(pages.map(({ open }) => open(start)))
    const expected = upTo(8 + 8 * messagesEach)
    for (const viewer of [...early, ...late]) {
      await viewer.until('entry', expected.length)
      expect(viewer.entries.map(({ entry }) => entry)).toEqual(expected)
      expect(viewer.resets).toEqual([])
    }
    await eventually('others are hinted at', () => early.every((viewer) => viewer.hinted('agents')))
  })

  it('tells what was said with its first 200 characters, whatever they are, and what was changed', async () => {
    const server = await (await TestDatabase.create(newDatabase)).server()
    const viewer = await watched(server.coordination).open()
    const { agents, messages, changes } = server.project
    const { agent_id } = await agents.register({ name: 'ann', role: 'coder' })
    const body = 'é😀'.repeat(150)
    await messages.send({ agent_id, channel: 'dev', subject: 'Tea?', body })
    await changes.announce({ agent_id, file_path: 'a.ts', summary: 'new' })
    await viewer.until('entry', 3)
    const excerpt = 'é😀'.repeat(100)
    expect(viewer.entries).toMatchObject([
      { entry: 1, event: 'registered', agent: 'ann', text: 'coder', message: null },
      { entry: 2, event: 'said', message: { id: 1, channel: 'dev', subject: 'Tea?', excerpt } },
      { entry: 3, event: 'announced', file: 'a.ts', text: 'new', message: null },
    ])
  })
}
