/** --follow: what is new is shown as it comes, whoever stored it. */
import { describe, expect, it } from 'vitest'
import { eventually } from './support/agentmail.ts'
import { openAgent, openPlace, Running, type Way, ways } from './support/coordination.ts'

const secret = 'a secret of the server'

/** Followers know the token of the server; whoever does not writes to the database past the server. */
const openFollowed = (way: Way) => openPlace(way, {}, { AGENTMAIL_TOKEN: secret })
const withToken = { AGENTMAIL_TOKEN: secret }

describe.each(ways)('through %s', (way) => {
  it('shows messages as they come, also of processes that write past the server', async () => {
    const place = await openFollowed(way)
    const inside = await openAgent(place, 'inside', { env: withToken })
    const outside = await openAgent(place, 'outside')
    if (place.server) {
      expect(inside.client.stderr).toContain('coordination through the server at')
      expect(outside.client.stderr).toContain('working on the database itself')
    }
    await inside.say('before', 'one\ntwo')
    const following = new Running(place, ['messages', '--follow'], withToken)
    const seen = (subject: string) =>
      eventually(`${subject} is shown`, () => following.lines.includes(subject))
    await seen('before')
    await inside.say('from inside')
    await seen('from inside')
    await outside.say('from outside')
    await seen('from outside')
    expect(following.stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')).toBe(
      [
        '#1  <time>  inside → broadcast\nbefore\n  one\n  two\n\n',
        '#2  <time>  inside → broadcast\nfrom inside\n  text\n\n',
        '#3  <time>  outside → broadcast\nfrom outside\n  text\n\n',
      ].join(''),
    )
    expect(await following.stop('SIGINT')).toMatchObject({ stderr: '' })
  })

  it('shows changes as they come, also of processes that write past the server', async () => {
    const place = await openFollowed(way)
    const inside = await openAgent(place, 'inside', { env: withToken })
    const outside = await openAgent(place, 'outside')
    const announce = (agent: typeof inside, summary: string) =>
      agent.call('announce_change', { file_path: 'a.ts', summary })
    await announce(inside, 'before')
    const following = new Running(place, ['changes', '--follow'], withToken)
    const seen = (summary: string) =>
      eventually(`${summary} is shown`, () => following.stdout.includes(`a.ts  ${summary}\n`))
    await seen('before')
    await announce(inside, 'from inside')
    await seen('from inside')
    await announce(outside, 'from outside')
    await seen('from outside')
    expect(following.stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')).toBe(
      [
        '#1  <time>  inside  a.ts  before\n',
        '#2  <time>  inside  a.ts  from inside\n',
        '#3  <time>  outside  a.ts  from outside\n',
      ].join(''),
    )
    expect(await following.stop('SIGINT')).toMatchObject({ stderr: '' })
  })

  it.each([
    ['messages', 'created_at', 'send_message', { subject: 'old', body: 'b' }],
    ['changes', 'announced_at', 'announce_change', { file_path: 'a.ts', summary: 'old' }],
  ])('shows %s from the place asked for, each once', async (command, time, tool, args) => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    for (const _ of [1, 2, 3]) await ann.call(tool, args)
    const [newest] = Object(await place.json([command, '--limit', '1']))[command]
    const follow = (...more: string[]) =>
      new Running(place, [command, '--follow', '--json', ...more])
    const following = [
      follow('--since', newest[time]),
      follow('--after-id', '2'),
      follow('--since', '2020-01-01T00:00:00Z', '--limit', '1'),
    ]
    const ids = () => following.map(({ lines }) => lines.map((line) => JSON.parse(line).id))
    await eventually('what was there is shown', () => ids()[2]?.length === 3)
    await ann.call(tool, args)
    await eventually('the news are shown', () => ids().every((one) => one.includes(4)))
    expect(ids()).toEqual([[4], [3, 4], [1, 2, 3, 4]])
  })

  it('shows one message a line as JSON, of the channel asked for', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    const args = ['messages', '--follow', '--json', '--channel', 'builds']
    const following = new Running(place, args)
    const say = (channel: string, subject: string) =>
      ann.call('send_message', { channel, subject, body: 'one\ntwo' })
    await say('broadcast', 'first')
    await say('builds', 'second')
    await eventually('the first is shown', () => following.lines.length === 1)
    await say('broadcast', 'third')
    await say('builds', 'fourth')
    await eventually('the second is shown', () => following.lines.length === 2)
    expect(following.lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 2, channel: 'builds', subject: 'second', body: 'one\ntwo', sender_id: ann.id },
      { id: 4, channel: 'builds', subject: 'fourth', body: 'one\ntwo', sender_id: ann.id },
    ])
  })

  it('shows one change a line as JSON, of the agent asked for', async () => {
    const place = await openPlace(way)
    const [ann, bob] = [await openAgent(place, 'ann'), await openAgent(place, 'bob')]
    const announce = (agent: typeof ann, file_path: string) =>
      agent.call('announce_change', { file_path, summary: 'one\ntwo' })
    await announce(ann, 'a.ts')
    const following = new Running(place, ['changes', '--follow', '--json', '--agent', 'bob'])
    await announce(bob, 'b.ts')
    await eventually('the first is shown', () => following.lines.length === 1)
    await announce(ann, 'c.ts')
    await announce(bob, 'd.ts')
    await eventually('the second is shown', () => following.lines.length === 2)
    expect(following.lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 2, agent_id: bob.id, file_path: 'b.ts', summary: 'one\ntwo' },
      { id: 4, agent_id: bob.id, file_path: 'd.ts', summary: 'one\ntwo' },
    ])
  })
})
