/** The address book itself, on a real database and a real post office: what a kill leaves behind, and who passes by. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { AddressBook } from '../../src/addresses/address-book.ts'
import { actingAs } from '../../src/connection/acting.ts'
import { LocalConnection } from '../../src/connection/local-connection.ts'
import { Coordination } from '../../src/coordination/coordination.ts'
import { PostOffice } from '../../src/mailbox/post-office.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A project whose post office knows these names. */
async function bookFor(...names: string[]) {
  const folder = temporaryFolder()
  const office = new PostOffice(join(folder, '.agentmail'))
  office.create()
  for (const name of names) {
    await office.recipients.register(name, { pane: null, source: 'environment' }, Date.now())
  }
  const store = await openSqlite(join(temporaryFolder(), 'agentmail.db'))
  const coordination = await Coordination.open({ store, staleMs: 120_000 })
  onTestFinished(() => coordination.close())
  const project = coordination.project('p')
  const told: string[] = []
  const book = new AddressBook({
    person: 'human',
    officesOf: async () => [office],
    onPerson: async (_, { from, subject }) => {
      told.push(`${from}: ${subject}`)
    },
  })
  const { agent_id } = await project.agents.register({ name: 'planner', role: 'planner' })
  const letter = (to: string, text: string) => ({
    ...{ agent_id, channel: `@${to}`, subject: text, body: text },
  })
  const own = { key: 'p', name: 'p' }
  const connection = new LocalConnection(coordination, {
    own,
    book,
    place: 'here',
    through: 'a test',
  })
  const received = async (name: string) => (await office.mailbox(name).take())?.message
  return { project, book, letter, connection, received, told, office }
}

it('finishes under its key what was stored and did not come into the mailbox, whoever has registered since', async () => {
  const { project, book, letter, received } = await bookFor('ann')
  const request = { ...letter('ann', 'hello'), idempotency_key: 'k' }
  const stored = await project.messages.send({ ...request, isByMailbox: true }) // and killed
  await project.agents.register({ name: 'ann', role: 'coder' })
  for (const _ of ['once', 'twice']) expect(await book.post(project, request)).toEqual(stored)
  expect([await received('ann'), await received('ann')]).toEqual(['hello', undefined])
})

it('puts mail into the mailbox of one who is passing by with a message of its own', async () => {
  const { project, book, letter, connection, received } = await bookFor('ann')
  await actingAs(connection, { name: 'ann', role: 'agent' }, async () => {
    expect((await project.agents.list({ agent: 'ann' })).agents).toHaveLength(1)
    await book.post(project, letter('ann', 'hello'))
  })
  expect(await received('ann')).toBe('hello')
})

it('warns of one who is offline, and only then', async () => {
  const { project, book, letter, office } = await bookFor('ann', 'bob')
  await office.recipients.setStatus('ann', 'offline', null, Date.now())
  expect(await book.post(project, letter('ann', 'hello'))).toMatchObject({
    warning: 'ann is offline',
  })
  expect(await book.post(project, letter('bob', 'hello'))).not.toHaveProperty('warning')
})

it('tells of what is for the person, and of nothing else', async () => {
  const { project, book, letter, told } = await bookFor('ann')
  for (const to of ['human', 'ann', 'nobody']) await book.post(project, letter(to, `for ${to}`))
  await book.post(project, { ...letter('x', 'for all'), channel: 'broadcast' })
  expect(told).toEqual(['planner: for human'])
})

it('takes an empty name for one that nobody has', async () => {
  const { project, book, letter } = await bookFor('ann')
  const { message_id, note } = await book.post(project, letter('', 'hello'))
  expect(note).toMatch(/^nobody called "" is here\. The message waits in the channel/)
  expect((await project.messages.look({ channel: '@' })).messages).toMatchObject([
    { id: message_id, body: 'hello' },
  ])
})
