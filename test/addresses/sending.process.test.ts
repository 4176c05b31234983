/** The command and the tool `send`: the mailbox first, then the registered, then the person; and what became of it. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { addressPlace, toolAgent } from '../support/addresses/address-place.ts'
import { messagesOf, structured, ways } from '../support/coordination/coordination.ts'
import { LineClient } from '../support/mcp/line-client.ts'

const recipientsSchema = z.object({ recipients: z.array(z.object({ name: z.string() })) })
const sentSchema = z.object({
  sent: z.array(
    z.object({
      id: z.string(),
      to: z.string(),
      state: z.string(),
      state_at: z.string().nullable(),
      text: z.string(),
    }),
  ),
})

describe.each(ways)('send, with %s', (way) => {
  it('looks in the mailbox, then among the registered, then for the person, and names who is near', async () => {
    const place = await addressPlace(way)
    for (const name of ['ann', 'both']) await place.comes(name)
    const planner = await toolAgent(place, 'planner')
    const both = await toolAgent(place, 'both')

    expect((await place.as('ann', 'send', 'both', 'to the mailbox')).stdout).toMatch(
      /^Message #[0-9A-Za-z]{8} sent\n$/,
    )
    expect(await place.receives('both')).toBe('ann: to the mailbox')
    expect(await both.unread()).toEqual([])

    const long = `${'x'.repeat(90)}\nand a second line`
    const sent = await place.as('ann', 'send', 'planner', long)
    expect(sent).toMatchObject({ stderr: '', exitCode: 0 })
    const [, number] = /^Message #(\d+) sent\n$/.exec(sent.stdout) ?? []
    await place.as('ann', 'send', 'planner', '\n  short  \nbody')
    const list = async (channel: string) =>
      messagesOf(await place.json(['messages', '--channel', channel]))
    expect(await list('@planner')).toMatchObject([
      { id: Number(number), sender_name: 'ann', subject: `${'x'.repeat(79)}…`, body: long },
      { subject: 'short' },
    ])
    expect(await planner.unread()).toEqual([`ann: ${long}`, 'ann: \n  short  \nbody'])

    expect((await place.as('ann', 'send', 'human', 'help')).stderr).toBe('')
    expect(await list('@human')).toMatchObject([{ sender_name: 'ann', body: 'help' }])
    expect(readdirSync(join(place.repository, '.agentmail/mailboxes'))).toEqual(['both.jsonl'])

    const refused = async (to: string) => (await place.as('ann', 'send', to, 'x')).stderr
    expect(await refused('planer')).toMatch(/^error: recipient not found. Did you mean planner\?\n/)
    expect(await refused('Planner')).toMatch(/Did you mean planner\?/)
    expect(await refused('humn')).toMatch(/Did you mean human\?/)
    expect(await refused('quite another')).toMatch(/^error: recipient not found\n/)
    expect((await place.as('ann', 'send', 'ann', 'x')).stderr).toMatch(
      /^error: recipient not found/,
    )
  })

  it('leaves out and refuses a registered agent that .agentmailignore names', async () => {
    const place = await addressPlace(way)
    writeFileSync(join(place.repository, '.agentmailignore'), 'quiet\nhuman\n')
    await place.comes('ann')
    const quiet = await toolAgent(place, 'quiet')
    const planner = await toolAgent(place, 'planner')
    const refused = await place.as('ann', 'send', 'quiet', 'hi')
    expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
    expect(refused.stderr).toMatch(/^error: recipient not found\n/)
    expect((await place.as('ann', 'recipients')).stdout).toBe('ann [you]\nplanner\n')

    const env = { ...place.env, AGENTMAIL_AGENT: 'ann' }
    const tools = await LineClient.open({ cwd: place.repository, env })
    const { recipients } = recipientsSchema.parse(structured(await tools.call('list-recipients')))
    expect(recipients.map(({ name }) => name)).toEqual(['ann', 'planner'])
    const answer = await tools.call('send', { recipient: 'quiet', message: 'hi' })
    expect(answer).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/^recipient not found\n/) }],
      },
    })
    expect(await quiet.unread()).toEqual([])
    expect(await planner.writes('quiet', 'by coordination')).not.toHaveProperty('note')
    expect(await quiet.unread()).toEqual(['planner: by coordination'])
    expect((await place.as('ann', 'send', 'human', 'help')).exitCode).toBe(0)
  })

  it('is the same by the tool, which lists the registered and not the person', async () => {
    const place = await addressPlace(way)
    await place.comes('bob')
    const planner = await toolAgent(place, 'planner')
    await place.as('human', 'send', 'planner', 'from the person')
    expect(await planner.unread()).toEqual(['human: from the person'])
    const env = { ...place.env, AGENTMAIL_AGENT: 'ann' }
    const client = await LineClient.open({ cwd: place.repository, env })
    const call = async (tool: string, args: object = {}) =>
      structured(await client.call(tool, args))
    const names = ['ann', 'bob', 'planner']
    const { recipients } = recipientsSchema.parse(await call('list-recipients'))
    expect(recipients.map(({ name }) => name).sort()).toEqual(names)
    expect((await place.as('ann', 'recipients')).stdout.split('\n').sort()).toEqual([
      '',
      'ann [you]',
      'bob',
      'planner',
    ])
    expect(await call('send', { recipient: 'planner', message: 'hello' })).toEqual({
      message_id: expect.stringMatching(/^\d+$/),
    })
    await call('send', { recipient: 'human', message: 'hello' })
    expect(await planner.unread()).toEqual(['ann: hello'])
    expect(await planner.writes('ann', 'back')).toEqual({ message_id: expect.any(Number) })
    expect(await call('receive')).toMatchObject({ from: 'planner', message: 'back' })
    const failed = await client.call('send', { recipient: 'plan', message: 'x' })
    expect(JSON.stringify(failed.result)).toContain('recipient not found. Did you mean planner?')
  })
})

describe('what was sent', () => {
  it('is told once where it went into channel and mailbox, as the mailbox knows it', async () => {
    const place = await addressPlace('a running server')
    await place.comes('ann')
    const planner = await toolAgent(place, 'planner')
    const { message_id } = await planner.writes('ann', 'in both')
    const sent = async () => sentSchema.parse(await place.json(['sent', '--as', 'planner'])).sent
    const entry = { id: `${message_id}`, to: 'ann', text: 'in both' }
    expect(await sent()).toMatchObject([{ ...entry, state: 'queued' }])
    expect(await place.receives('ann')).toBe('planner: in both')
    expect(await sent()).toMatchObject([
      { ...entry, state: 'read', state_at: expect.stringMatching(/Z$/) },
    ])
  })
})

describe('a database that cannot be reached', () => {
  it('keeps nobody from the mailboxes', async () => {
    const place = await addressPlace('the database itself')
    await place.comes('bob')
    const env = { AGENTMAIL_AGENT: 'ann', AGENTMAIL_DB: 'mysql://nobody@127.0.0.1:1/none' }
    const run = (...args: string[]) => place.run(args, { env })
    const listed = await run('recipients')
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('bob\n') })
    expect(listed.stderr).toContain('the registered agents could not be asked')
    expect(await run('send', 'bob', 'hello')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await place.receives('bob')).toBe('ann: hello')
    expect((await run('send', 'stranger', 'hello')).exitCode).not.toBe(0)
  })

  it('is not made for a question', async () => {
    const place = await addressPlace('the database itself')
    writeFileSync(join(place.repository, '.agentmailignore'), 'eve\n')
    await place.comes('eve')
    expect((await place.as('ann', 'send', 'eve', 'x')).stderr).toMatch(
      /^error: recipient not found\n/,
    )
    expect(existsSync(place.database)).toBe(false)
  })
})
