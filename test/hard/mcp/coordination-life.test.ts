/** The life of `agentmail mcp coordination`: its agents, its end, and the server behind it. */
import { describe, expect, it } from 'vitest'
import { agentmail } from '../../support/agentmail.ts'
import {
  mcpCoordination,
  messagesOf,
  openAgent,
  openPlace,
  openStdio,
  type Place,
  shortLives,
  structured,
  subjectsHeard,
  subjectsOf,
  waitForMessages,
  ways,
} from '../../support/coordination/coordination.ts'
import { eventually } from '../../support/eventually.ts'
import { isLong } from '../../support/parts.ts'
import { LossyProxy } from '../../support/providers/lossy-proxy.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { freePort } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** What happens first: `work`, or a time that is far too long for it. */
const soon = <T>(work: Promise<T>): Promise<T | 'too late'> =>
  Promise.race([
    work,
    new Promise<'too late'>((resolve) => setTimeout(resolve, 15_000, 'too late')),
  ])

async function holders(place: Place): Promise<string[]> {
  const { claims } = Object(await place.json(['claims']))
  return claims.map(({ holder_name }: { holder_name: string }) => holder_name)
}

// To see agents go stale takes its time; the commands show it through a server.
describe.each(isLong ? ways : ways.slice(1))('its agents, through %s', (way) => {
  it('stay alive without heartbeats, and are swept once after it was killed', async () => {
    const place = await openPlace(way, shortLives)
    const atWork = async (name: string) => {
      const agent = await openAgent(place, name)
      await agent.call('claim_files', { files: [`${name}.ts`] })
      return agent
    }
    const watcher = await openAgent(place, 'watcher')
    const keeper = await atWork('keeper')
    const first = await atWork('first')
    const second = await atWork('second')
    const nextNotice = (after_id: number) =>
      eventually('a notice comes', async () => {
        const read = await watcher.call('read_messages', { after_id, wait_seconds: 1 })
        return messagesOf(read).length > 0 && messagesOf(read)
      })
    const noticeOf = (name: string) => ({
      subject: 'agent-stale',
      body: `Agent ${name} (role: coder) went stale and was removed. Its file claims have been released.`,
    })
    first.client.child.kill('SIGKILL')
    expect(await nextNotice(0)).toMatchObject([noticeOf('first')])
    expect(await holders(place)).toEqual(['keeper', 'second'])
    second.client.child.kill('SIGKILL')
    expect(await nextNotice(1)).toMatchObject([noticeOf('second')])
    expect(await holders(place)).toEqual(['keeper'])
    expect(await keeper.call('heartbeat')).toMatchObject({ ok: true })
  })
})

describe.each([
  ['a running server', 'modern'],
  ['the database itself', 'legacy'],
] as const)('its end, through %s, %s era', (way, era) => {
  it('comes with that of its input, all being answered', async () => {
    const { client, ...ann } = await openAgent(await openPlace(way), 'ann', { era })
    const ids = ['one', 'two', 'three']
    for (const id of ids) waitForMessages({ client, ...ann }, id)
    await ann.call('heartbeat')
    const change = { agent_id: ann.id, file_path: 'a.ts', summary: 'better' }
    const params = { name: 'announce_change', arguments: change }
    client.write(client.line('last', 'tools/call', params))
    expect(await soon(client.finish())).toMatchObject({ exitCode: 0, signal: null })
    const answers = await Promise.all(ids.map((id) => client.answer(id)))
    expect(answers.map(structured)).toEqual(ids.map(() => ({ messages: [], has_more: false })))
    expect(structured(await client.answer('last'))).toEqual({ change_id: 1 })
    expect(client.faults).toEqual([])
  })

  it('comes with exit code 0 on SIGTERM', async () => {
    const ann = await openAgent(await openPlace(way), 'ann')
    waitForMessages(ann, 'waiting')
    await ann.call('heartbeat')
    ann.client.child.kill('SIGTERM')
    expect(await soon(ann.client.ended)).toMatchObject({ exitCode: 0, signal: null })
    expect(ann.client.faults).toEqual([])
  })

  it('comes when nobody is left to read its answers', async () => {
    const client = await openStdio(await openPlace(way))
    client.child.stdout.destroy()
    client.write(client.line('unheard', 'tools/list'), client.line('too', 'tools/list'))
    expect(await soon(client.ended)).toMatchObject({ exitCode: 1, signal: null })
  })
})

describe('its start', () => {
  it('needs no name and no tmux, and ends at once where there is nothing to read', async () => {
    const place = await openPlace('the database itself')
    expect(await place.run(mcpCoordination)).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('says that the server it is told to use cannot be reached, and exits 1', async () => {
    const server = await TestServer.start()
    await server.stop()
    const env = { AGENTMAIL_SERVER: server.url }
    const ran = await agentmail(mcpCoordination, { cwd: temporaryFolder(), env })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^error: the server at http\S+ cannot be reached/)
  })
})

describe('the server behind it', () => {
  it('may be killed at any time: calls go on, nothing is lost, nothing is doubled', async () => {
    const place = await openPlace('a running server')
    const [ann, bob] = [await openAgent(place, 'ann'), await openAgent(place, 'bob')]
    await bob.call('claim_files', { files: ['b.ts'] })
    waitForMessages(bob, 'waiting', { channel: 'end' })
    await bob.call('heartbeat')
    const subjects = Array.from({ length: 40 }, (_, index) => `message ${index + 1}`)
    const said = subjects.map((subject) => ann.say(subject))
    await said[9]
    process.kill(place.server?.pid ?? 0, 'SIGKILL')
    expect(await Promise.all(said)).toEqual(subjects.map((_, index) => ({ message_id: index + 1 })))
    await ann.call('send_message', { channel: 'end', subject: 'the end', body: 'b' })
    expect(await subjectsHeard(bob, 'waiting')).toEqual(['the end'])
    const messages = await place.json(['messages', '--limit', '500'])
    expect(subjectsOf(messages)).toEqual([...subjects, 'the end'])
    expect(await ann.call('claim_files', { files: ['b.ts'] })).toMatchObject({
      conflicts: [{ held_by: bob.id }],
    })
    expect(await bob.call('release_files', { files: ['b.ts'] })).toEqual({ released: ['b.ts'] })
    for (const { client } of [ann, bob]) {
      const [before = '', after = ''] = client.stderr.trimEnd().split('\n')
      expect(before).toMatch(/^agentmail: coordination through the server at http/)
      expect(after).toMatch(/^agentmail: coordination through \/.*agentmail\.db$/)
      expect(client.faults).toEqual([])
    }
  })

  it('is passed by where it wants another token, with a word on stderr', async () => {
    const secret = { AGENTMAIL_TOKEN: 'secret' }
    const place = await openPlace('a running server', {}, secret)
    const outside = await openAgent(place, 'outside', { env: { AGENTMAIL_TOKEN: 'guess' } })
    const inside = await openAgent(place, 'inside', { env: secret })
    expect(outside.client.stderr).toMatch(
      /^agentmail: the server at \S+ wants another token; working on the database itself\n/,
    )
    expect(outside.client.stderr).not.toContain('guess')
    expect(inside.client.stderr).toMatch(/^agentmail: coordination through the server at \S+\n$/)
    waitForMessages(inside, 'waiting')
    await inside.call('heartbeat')
    await outside.say('from outside')
    expect(await subjectsHeard(inside, 'waiting')).toEqual(['from outside'])
    expect(outside.client.faults).toEqual([])
  })

  it('does once what was asked for once, though its answer was lost', async () => {
    const server = await TestServer.start()
    const proxy = await LossyProxy.start(server.url)
    const place = { repository: temporaryFolder(), env: { AGENTMAIL_SERVER: proxy.url } }
    const ann = await openAgent(place, 'ann')
    const change = { file_path: 'a.ts', summary: 'better' }
    proxy.loseAnswerTo('send_message')
    expect(await ann.say('once')).toEqual({ message_id: 1 })
    proxy.loseAnswerTo('announce_change')
    expect(await ann.call('announce_change', change)).toEqual({ change_id: 1 })
    proxy.loseAnswerTo('claim_files')
    expect(await ann.call('claim_files', { files: ['a.ts'] })).toMatchObject({ claimed: ['a.ts'] })
    expect(proxy.lost).toEqual(['send_message', 'announce_change', 'claim_files'])
    expect(await ann.call('get_changes')).toMatchObject({ changes: [{ id: 1 }], has_more: false })
    expect(subjectsOf(await ann.call('read_messages'))).toEqual(['once'])

    const twice = { agent_id: ann.id, subject: 'twice', body: 'b' }
    proxy.loseAnswerTo('send_message')
    await expect(callTool(proxy.url, 'send_message', twice)).rejects.toThrow()
    await callTool(proxy.url, 'send_message', twice)
    expect(subjectsOf(await ann.call('read_messages'))).toEqual(['once', 'twice', 'twice'])
  })

  it('is told when a wait is cancelled', async () => {
    const server = await TestServer.start({ cwd: temporaryFolder() })
    const proxy = await LossyProxy.start(server.url)
    const place = { repository: temporaryFolder(), env: { AGENTMAIL_SERVER: proxy.url } }
    const ann = await openAgent(place, 'ann')
    waitForMessages(ann, 'waiting')
    await eventually('the server is asked', () => proxy.waiting === 1)
    const params = { requestId: 'waiting' }
    ann.client.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
    await eventually('the server is told', () => proxy.waiting === 0)
    expect(ann.client.answersTo('waiting')).toEqual([])
    expect(await ann.call('heartbeat')).toMatchObject({ ok: true })
  })

  it('is found again when it comes back', async () => {
    const args = ['--port', `${await freePort()}`]
    const server = await TestServer.start({ args })
    const env = { AGENTMAIL_SERVER: server.url }
    const ann = await openAgent({ repository: temporaryFolder(), env }, 'ann')
    await ann.say('before')
    await server.stop()
    await expect(ann.say('in between')).rejects.toThrow(/the server at \S+ cannot be reached/)
    await TestServer.start({ db: server.database, args })
    expect(await ann.say('after')).toEqual({ message_id: 2 })
  })
})
