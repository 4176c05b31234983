/** --follow: what is new is shown as it comes, whoever stored it. */
import { describe, expect, it } from 'vitest'
import {
  messagesOf,
  openAgent,
  openPlace,
  Running,
  type Way,
  type WorkingAgent,
  ways,
} from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'

const secret = 'a secret of the server'

/** Followers know the token of the server; whoever does not writes to the database past the server. */
const openFollowed = (way: Way) => openPlace(way, {}, { AGENTMAIL_TOKEN: secret })
const withToken = { AGENTMAIL_TOKEN: secret }

const announce = (agent: WorkingAgent, summary: string) =>
  agent.call('announce_change', { file_path: 'a.ts', summary })

const withoutTimes = ({ stdout }: Running) =>
  stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')

const idsOf = (following: Running[]): number[][] =>
  following.map(({ lines }) => lines.map((line) => JSON.parse(line).id))

describe.each(ways)('through %s', (way) => {
  it('shows what comes, also from processes that write past the server', async () => {
    const place = await openFollowed(way)
    const inside = await openAgent(place, 'inside', { env: withToken })
    const outside = await openAgent(place, 'outside')
    if (place.server) {
      expect(inside.client.stderr).toContain('coordination through the server at')
      expect(outside.client.stderr).toContain('working on the database itself')
    }
    await inside.say('before', 'one\ntwo')
    await announce(inside, 'before')
    const messages = new Running(place, ['messages', '--follow'], withToken)
    const changes = new Running(place, ['changes', '--follow'], withToken)
    const seen = (text: string) =>
      eventually(
        `${text} is shown`,
        () => messages.lines.includes(text) && changes.stdout.includes(`a.ts  ${text}\n`),
      )
    await seen('before')
    await Promise.all([inside.say('from inside'), announce(inside, 'from inside')])
    await seen('from inside')
    await Promise.all([outside.say('from outside'), announce(outside, 'from outside')])
    await seen('from outside')
    expect(withoutTimes(messages)).toBe(
      [
        '#1  <time>  inside → broadcast\nbefore\n  one\n  two\n\n',
        '#2  <time>  inside → broadcast\nfrom inside\n  text\n\n',
        '#3  <time>  outside → broadcast\nfrom outside\n  text\n\n',
      ].join(''),
    )
    expect(withoutTimes(changes)).toBe(
      [
        '#1  <time>  inside  a.ts  before\n',
        '#2  <time>  inside  a.ts  from inside\n',
        '#3  <time>  outside  a.ts  from outside\n',
      ].join(''),
    )
    expect(await messages.stop('SIGINT')).toMatchObject({ stderr: '' })
    expect(await changes.stop('SIGINT')).toMatchObject({ stderr: '' })
  })

  it('begins where it is asked to, shows each once, and as JSON one a line', async () => {
    const place = await openPlace(way)
    const [ann, bob] = [await openAgent(place, 'ann'), await openAgent(place, 'bob')]
    const tell = async (agent: WorkingAgent, channel: string) => {
      await agent.call('send_message', { channel, subject: 's', body: 'one\ntwo' })
      await announce(agent, 'one\ntwo')
    }
    await tell(ann, 'broadcast')
    await tell(bob, 'builds')
    await tell(ann, 'broadcast')
    const [message] = messagesOf(await place.json(['messages', '--limit', '1']))
    const { changes } = Object(await place.json(['changes', '--limit', '1']))
    const following = [
      ['messages', '--since', message?.created_at ?? ''],
      ['changes', '--since', changes[0].announced_at],
      ['messages', '--since', '2020-01-01T00:00:00Z', '--limit', '1'],
      ['changes', '--after-id', '1', '--agent', 'bob'],
      ['messages', '--channel', 'builds'],
    ].map((args) => new Running(place, [...args, '--follow', '--json']))
    const shown = (counts: number[]) =>
      eventually('all are shown', () =>
        idsOf(following).every((ids, index) => ids.length >= (counts[index] ?? 0)),
      )
    await shown([0, 0, 3, 1, 1])
    await tell(bob, 'builds')
    await shown([1, 1, 4, 2, 2])
    expect(idsOf(following)).toEqual([[4], [4], [1, 2, 3, 4], [2, 4], [2, 4]])
    expect(JSON.parse(following[0]?.stdout ?? '')).toMatchObject({
      sender_id: bob.id,
      channel: 'builds',
      body: 'one\ntwo',
    })
    expect(JSON.parse(following[1]?.stdout ?? '')).toMatchObject({
      agent_id: bob.id,
      summary: 'one\ntwo',
    })
  })
})

it('goes on on the database when the server is killed', async () => {
  const place = await openPlace('a running server')
  const ann = await openAgent(place, 'ann')
  const tell = () => Promise.all([ann.say('news'), announce(ann, 'news')])
  await tell()
  const following = ['messages', 'changes'].map(
    (command) => new Running(place, [command, '--follow', '--json']),
  )
  const shown = (count: number) =>
    eventually('all are shown', () => idsOf(following).every((ids) => ids.length >= count))
  await shown(1)
  process.kill(place.server?.pid ?? 0, 'SIGKILL')
  await tell()
  await shown(2)
  expect(idsOf(following)).toEqual([
    [1, 2],
    [1, 2],
  ])
  for (const one of following) {
    const { stderr } = await one.stop('SIGINT')
    expect(stderr).toMatch(/^agentmail: the server at \S+ cannot be reached .*; trying again\n/)
  }
})
