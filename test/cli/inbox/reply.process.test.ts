/** agentmail reply: what is answered is read, and nothing else; by whom, and to one who is gone. */
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { addressPlace, toolAgent } from '../../support/addresses/address-place.ts'
import type { RunOptions } from '../../support/agentmail.ts'
import {
  messagesOf,
  openAgent,
  openPlace,
  type Place,
  ways,
} from '../../support/coordination/coordination.ts'
import { callTool } from '../../support/server/server.ts'

const inboxSchema = z.object({ inbox: z.array(z.object({ id: z.string(), text: z.string() })) })
const sentSchema = z.object({ sent: z.array(z.object({ to: z.string(), state: z.string() })) })

const as = (name: string): RunOptions => ({ env: { AGENTMAIL_AGENT: name } })

const inboxOf = async (place: Place, ...args: string[]) =>
  inboxSchema.parse(await place.json(['inbox', ...args], as('bob'))).inbox

const sentStates = async (place: Place, name: string) =>
  sentSchema
    .parse(await place.json(['sent'], as(name)))
    .sent.map(({ to, state }) => `${to} ${state}`)

describe.each(ways)('through %s', (way) => {
  it('has read what it answers, of both kinds, and nothing else, in whatever order', async () => {
    const place = await openPlace(way)
    const bob = await openAgent(place, 'bob')
    const coder = await openAgent(place, 'coder')
    const tell = (subject: string) =>
      coder.call('send_message', { channel: '@bob', subject, body: subject })
    for (const subject of ['one', 'two', 'three']) await tell(subject)
    await place.json(['recipients'], as('bob'))
    const send = (text: string) => place.json(['send', 'bob', text], as('ann'))
    for (const text of ['first', 'second']) await send(text)
    const idOf = async (end: string) =>
      (await inboxOf(place, '--all')).find(({ text }) => text.endsWith(end))?.id ?? ''
    const texts = async () => (await inboxOf(place)).map(({ text }) => text.split('\n')[0])
    const unread = async () => Object(await bob.call('heartbeat')).unread
    const reply = async (to: string, ...options: string[]) =>
      place.json(['reply', await idOf(to), 'yes', ...options], as('bob'))
    await reply('second')
    expect(await texts()).toEqual(['one', 'two', 'three', 'first'])
    expect(await sentStates(place, 'ann')).toEqual(['bob read', 'bob queued'])
    await reply('two', '--as', bob.id)
    expect([await texts(), await unread()]).toEqual([['one', 'three', 'first'], 2])
    expect(await sentStates(place, 'coder')).toEqual(['bob queued', 'bob read', 'bob queued'])
    await reply('one')
    expect([await texts(), await unread()]).toEqual([['three', 'first'], 1])
    await reply('one') // it stays read
    expect(await texts()).toEqual(['three', 'first'])
    const handed = Object(await bob.call('read_messages', { unread: true, channel: '@bob' }))
    expect(handed.messages.map(({ subject }: { subject: string }) => subject)).toEqual(['three'])
    expect(await place.json(['receive'], as('bob'))).toMatchObject({ message: 'first' })
    expect(await place.json(['receive'], as('bob'))).toEqual({ status: 'No unread messages' })
    expect(await sentStates(place, 'ann')).toEqual(['bob read', 'bob read'])
    await send('third')
    expect(await place.json(['receive'], as('bob'))).toMatchObject({ message: 'third' })
  })
  it('hands what was answered to nobody again, and what was read by a cursor once more', async () => {
    const place = await openPlace(way)
    const bob = await openAgent(place, 'bob')
    const coder = await openAgent(place, 'coder')
    for (const subject of ['one', 'two', 'three']) {
      await coder.call('send_message', { channel: '@bob', subject, body: subject })
    }
    await bob.call('read_messages', { channel: '@bob', limit: 1 }) // three, by a cursor
    await place.json(['reply', '2', 'yes'], as('bob'))
    expect(await bob.call('heartbeat')).toEqual({ ok: true, unread: 2 })
    const handed = messagesOf(await bob.call('read_messages', { unread: true, channel: '@bob' }))
    expect(handed.map(({ subject }) => subject)).toEqual(['one', 'three'])
    expect((await inboxOf(place, '--all')).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    await place.json(['reply', '2', 'yes, again'], as('bob'))
    const sent = await place.json(['sent', '--to', 'bob'], as('coder'))
    expect(sentSchema.parse(sent).sent.map(({ state }) => state)).toEqual(['read', 'read', 'read'])
  })

  it('leaves what one of two namesakes answered to the other', async () => {
    const place = await openPlace(way)
    const [bob, coder] = [await openAgent(place, 'bob'), await openAgent(place, 'coder')]
    const other = await openAgent(place, 'bob')
    for (const subject of ['one', 'two']) {
      await coder.call('send_message', { channel: '@bob', subject, body: subject })
    }
    await place.json(['reply', '2', 'yes', '--as', bob.id])
    const handed = messagesOf(await other.call('read_messages', { unread: true, channel: '@bob' }))
    expect(handed.map(({ subject }) => subject)).toEqual(['one', 'two'])
  })

  it('answers mail in the channel of its asker that is gone, where the answer waits', async () => {
    const place = await addressPlace(way)
    await place.comes('alpha')
    const asker = await toolAgent(place, 'asker')
    await asker.writes('alpha', 'which one?')
    await place.run(['post', 'Build', 'is red', '--channel', '@alpha', '--as', 'guest'])
    await place.as('closed', 'send', 'alpha', 'hello')
    asker.client.child.stdin.end()
    await asker.client.ended
    leave(place.database, asker.id)
    const { inbox } = inboxSchema.parse(await place.json(['inbox'], as('alpha')))
    const ids = inbox.map(({ id }) => id)
    for (const [index, name] of ['asker', 'guest'].entries()) {
      const ran = await place.as('alpha', 'reply', ids[index] ?? '', 'this one')
      expect(ran.stdout, ran.stderr).toMatch(/^Message #\d+ sent\n$/)
      expect(ran.stderr).toBe(
        `warning: ${name} is not registered at present, and reads this when it is again\n`,
      )
      expect(await (await toolAgent(place, name)).unread()).toEqual(['alpha: this one'])
    }
    expect(await place.receives('alpha')).toBe('closed: hello')
    expect((await place.as('alpha', 'inbox')).stdout).toBe('Nothing new\n')
  })

  it('is said by whom it names, and by nobody where two of the name live', async () => {
    const place = await openPlace(way)
    const one = await openAgent(place, 'twin')
    const asker = await openAgent(place, 'asker')
    const asked = await asker.call('send_message', {
      channel: '@twin',
      subject: 'who',
      body: 'who',
    })
    const other = await openAgent(place, 'twin')
    const id = String(asked.message_id)
    for (const { id: agent } of [one, other, one]) {
      await place.json(['reply', id, `I am ${agent}`, '--as', agent])
    }
    const said = messagesOf(await asker.call('read_messages', { channel: '@asker' }))
    expect(said.map(({ sender_id, body }) => [sender_id, body])).toEqual(
      [one.id, other.id, one.id].map((agent) => [agent, `I am ${agent}`]),
    )
    for (const [args, options] of [
      [['reply', id, 'both', '--as', 'twin'], {}],
      [['reply', id, 'both'], as('twin')],
    ] as const) {
      const refused = await place.run([...args], options)
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
      expect(refused.stderr).toMatch(/^error: 2 living agents are called "twin"\nSay which one/)
      for (const agent of [one, other]) expect(refused.stderr).toContain(`--as ${agent.id} `)
    }
    expect(messagesOf(await asker.call('read_messages', { channel: '@asker' }))).toHaveLength(3)
  })
})

/** Swept, without the wait for it. */
function leave(database: string, agentId: string): void {
  const file = new DatabaseSync(database)
  file.prepare('DELETE FROM presence WHERE agent_id = ?').run(agentId)
  file.close()
}

it('says so where a recipient of the mailbox has the name of whom it went to', async () => {
  const place = await addressPlace('a running server')
  await place.comes('ann')
  const url = place.server?.url ?? ''
  const { structuredContent: ann } = await callTool(url, 'register', { name: 'ann', role: 'r' })
  await place.as('ann', 'send', 'human', 'which one?')
  const answer = async () => {
    const { inbox } = inboxSchema.parse(await place.json(['inbox', '--as', 'human', '--all']))
    return place.run(['reply', inbox.at(-1)?.id ?? '', 'this one', '--as', 'human'])
  }
  expect(await answer()).toMatchObject({
    stderr:
      'warning: the answer went to the channel @ann alone: a recipient of the mailbox is called "ann" too. agentmail send "ann" writes to that one.\n',
  })
  const unread = { agent_id: ann?.agent_id, unread: true }
  expect(messagesOf((await callTool(url, 'read_messages', unread)).structuredContent)).toHaveLength(
    1,
  )
  const zoe = await toolAgent(place, 'zoe')
  await zoe.writes('human', 'and this?')
  expect((await answer()).stderr).toBe('')
  expect(await zoe.unread()).toEqual(['human: this one'])
})
