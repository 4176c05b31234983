/** Clones of one project: `send` reaches whoever has a mailbox in another, and the answer comes back. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clonesOfOne } from '../support/addresses/clones.ts'
import { structured, ways } from '../support/coordination/coordination.ts'
import { git } from '../support/mailbox/tmux.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe.each(ways)('from another clone, with %s', (way) => {
  it('a name has its mail once, by the command and by the tool, and answers', async () => {
    const data = temporaryFolder()
    const env = { XDG_DATA_HOME: data }
    mkdirSync(join(data, 'agentmail'))
    const db = join(data, 'agentmail/agentmail.db')
    if (way === 'a running server') await TestServer.start({ db, cwd: temporaryFolder(), env })
    const clone = clonesOfOne(env)
    const [one, two, other] = [clone(), clone(), clonesOfOne(env)()]
    await one.comes('ci1')
    await two.comes('ann')
    await other.comes('stranger')

    const sent = await two.as('ann', 'send', 'ci1', 'is it green?')
    expect(sent).toMatchObject({ exitCode: 0, stderr: '' })
    expect(sent.stdout).toMatch(/^Message #\d+ sent\n$/)
    const client = await LineClient.open({
      cwd: two.folder,
      env: { ...env, AGENTMAIL_AGENT: 'ann' },
    })
    const message = 'and now?'
    expect(structured(await client.call('send', { recipient: 'ci1', message }))).toEqual({
      message_id: expect.stringMatching(/^\d+$/),
    })
    const { inbox } = JSON.parse((await one.as('ci1', 'inbox', '--json')).stdout)
    expect(await one.receives('ci1')).toBe('ann: is it green?')
    expect(await one.receives('ci1')).toBe('ann: and now?')
    expect(await one.receives('ci1')).toBeUndefined()
    expect(JSON.parse((await two.as('ann', 'sent', '--json')).stdout).sent).toMatchObject([
      { to: 'ci1', text: 'and now?', state: 'read' },
      { to: 'ci1', text: 'is it green?', state: 'read' },
    ])

    expect(await one.as('ci1', 'reply', inbox[0].id, 'yes')).toMatchObject({ stderr: '' })
    await one.as('ci1', 'send', 'ann', 'all of it')
    expect(await two.receives('ann')).toBe('ci1: yes')
    expect(await two.receives('ann')).toBe('ci1: all of it')
    expect(await two.receives('ann')).toBeUndefined()

    // A root that is known keeps its project whatever its origin becomes.
    git(two.folder, 'remote', 'set-url', 'origin', 'https://example.com/moved.git')
    const moved = await two.as('ann', 'send', 'ci1', 'from elsewhere')
    expect(moved).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await one.receives('ci1')).toBe('ann: from elsewhere')
    expect(await one.as('ci1', 'send', 'ann', 'and back')).toMatchObject({ stderr: '' })
    expect(await two.receives('ann')).toBe('ci1: and back')

    const refused = async (name: string) => (await two.as('ann', 'send', name, 'x')).stderr
    expect(await refused('stranger')).toMatch(/^error: recipient not found/) // of another project
    writeFileSync(join(two.folder, '.agentmailignore'), 'ci1\n')
    expect(await refused('ci1')).toMatch(/^error: recipient not found/)
  })
})
