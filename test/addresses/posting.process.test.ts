/** The tool `send_message` to `@name`: a registered agent, else the mailbox of that name, else the person, else a note. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addressPlace, mailboxesIn, toolAgent } from '../support/addresses/address-place.ts'
import { clonesOfOne } from '../support/addresses/clones.ts'
import { agentmail, type RunOptions } from '../support/agentmail.ts'
import { messagesOf, ways } from '../support/coordination/coordination.ts'
import { git } from '../support/mailbox/tmux.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const stored = { message_id: expect.any(Number) }
const unheard = { ...stored, note: expect.stringMatching(/^nobody called ".*" is here/) }

describe.each(ways)('a message to a name, with %s', (way) => {
  it('is in the mailbox of that name, once, and is not handed again to whoever registers under it', async () => {
    const place = await addressPlace(way)
    await place.comes('ann')
    const planner = await toolAgent(place, 'planner')
    expect(await planner.writes('ann', 'one')).toEqual(stored)
    const key = { idempotency_key: 'k' }
    const first = await planner.writes('ann', 'two', key)
    const other = { subject: 'A subject' }
    await planner.writes('ann', 'three', other)
    const ann = await toolAgent(place, 'ann')
    expect(await ann.unread()).toEqual([])
    // It went into the mailbox then, and goes nowhere else now.
    expect(await planner.writes('ann', 'two', key)).toEqual(first)
    expect(await planner.writes('ann', 'four')).toEqual(stored)
    expect(await ann.unread()).toEqual(['planner: four'])
    const mail = [await place.receives('ann'), await place.receives('ann')]
    expect(mail).toEqual(['planner: one', 'planner: two'])
    expect(await place.receives('ann')).toBe('planner: A subject\n\nthree')
    expect(await place.receives('ann')).toBeUndefined()
    expect(messagesOf(await place.json(['messages', '--channel', '@ann']))).toHaveLength(4)
  })

  it('keeps a subject with which its text only begins, in the mailbox and in the channel', async () => {
    const place = await addressPlace(way)
    await place.comes('ann')
    const planner = await toolAgent(place, 'planner')
    await planner.writes('ann', 'Fixed the parser', { subject: 'Fix' })
    expect(await place.receives('ann')).toBe('planner: Fix\n\nFixed the parser')
    const { stdout } = await place.run(['messages', '--channel', '@ann'])
    expect(stdout).toMatch(/ planner → @ann\nFix\n {2}Fixed the parser\n/)
  })

  it('reaches the mailbox of one who came for one thing, and holds a file', async () => {
    const place = await addressPlace(way)
    await place.comes('ann')
    const planner = await toolAgent(place, 'planner')
    for (const name of ['ann', 'bob']) await place.as(name, 'claim', `${name}.txt`)
    expect(await planner.writes('ann', 'hello')).toEqual(stored)
    expect(await place.receives('ann')).toBe('planner: hello')
    expect(await planner.writes('bob', 'hello')).toEqual(stored) // has no mailbox but the channel
    expect((await place.as('ann', 'release', 'ann.txt')).stderr).toBe('')
  })

  it('waits where nobody has the name, which is told, and who was meant perhaps', async () => {
    const place = await addressPlace(way)
    writeFileSync(join(place.repository, '.agentmailignore'), 'eve\n')
    for (const name of ['ann', 'eve']) await place.comes(name)
    const planner = await toolAgent(place, 'planner')
    for (const name of ['Ann', 'ann ', 'nobody', 'eve']) {
      expect(await planner.writes(name, 'hello'), name).toEqual(unheard)
    }
    expect((await planner.writes('anm', 'x')).note).toContain('Did you mean ann?')
    expect(await planner.writes('human', 'hello')).toEqual(stored)
    for (const name of ['ann', 'eve']) expect(await place.receives(name)).toBeUndefined()
    expect(await (await toolAgent(place, 'nobody')).unread()).toEqual(['planner: hello'])
  })

  it('is kept in the channel where the mailbox takes nothing', async () => {
    const place = await addressPlace(way)
    await place.comes('ann')
    const planner = await toolAgent(place, 'planner')
    const file = join(place.repository, '.agentmail/mailboxes/ann.jsonl')
    mkdirSync(file)
    const { note } = await planner.writes('ann', 'hello')
    expect(note).toMatch(/^the mailbox of "ann" could not be written: .*waits in the channel/)
    rmSync(file, { recursive: true })
    expect(await place.receives('ann')).toBeUndefined()
    expect(await (await toolAgent(place, 'ann')).unread()).toEqual(['planner: hello'])
  })

  it('leaves a post office alone that came with the repository', async () => {
    const place = await addressPlace(way)
    await place.comes('ann')
    git(place.repository, 'add', '--force', '.agentmail')
    const planner = await toolAgent(place, 'planner')
    expect(await planner.writes('ann', 'hello')).toEqual(unheard)
    git(place.repository, 'rm', '--quiet', '-r', '--cached', '.agentmail')
    expect(await place.receives('ann')).toBeUndefined()
  })
})

describe('a server that was started elsewhere', () => {
  it('reaches the mailboxes of every project on its machine, in all clones', async () => {
    const data = temporaryFolder()
    mkdirSync(join(data, 'agentmail'))
    const env = { XDG_DATA_HOME: data }
    await TestServer.start({
      db: join(data, 'agentmail/agentmail.db'),
      cwd: temporaryFolder(),
      env,
    })
    const clone = clonesOfOne(env)
    const [one, two] = [clone(), clone()]
    await one.comes('ann')
    await two.comes('bob')
    const planner = await toolAgent({ repository: one.folder, env }, 'planner')
    for (const name of ['ann', 'bob']) expect(await planner.writes(name, 'hello')).toEqual(stored)
    expect(await one.receives('ann')).toBe('planner: hello')
    expect(await two.receives('bob')).toBe('planner: hello')
    const sent = await one.as('x', 'sent', '--as', 'planner', '--json')
    expect(JSON.parse(sent.stdout).sent).toMatchObject([
      { to: 'bob', state: 'read' },
      { to: 'ann', state: 'read' },
    ])
    await two.as('bob', 'send', 'planner', 'back')
    expect(await planner.unread()).toEqual(['bob: back'])
  })

  it('finds the post office that AGENTMAIL_DIR names', async () => {
    const place = await addressPlace('the database itself')
    const env = { ...place.env, AGENTMAIL_DIR: join(temporaryFolder(), 'office') }
    const run = (args: string[], options: RunOptions = {}) =>
      agentmail(args, { cwd: place.repository, env: { ...env, ...options.env } })
    const { comes, receives } = mailboxesIn({ run })
    await comes('ann')
    const planner = await toolAgent({ ...place, env }, 'planner')
    expect(await planner.writes('ann', 'hello')).toEqual(stored)
    expect(await receives('ann')).toBe('planner: hello')
  })
})
