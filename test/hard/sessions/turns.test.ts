/** Turns of real coding agents, set up as a person does it: the mail that they are handed, and a server that is gone. */
import { existsSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import type { Env } from '../../support/agentmail.ts'
import {
  type Client,
  claude,
  clients,
  codex,
  gemini,
  programOf,
} from '../../support/clients/clients.ts'
import { Workplace } from '../../support/clients/workplace.ts'
import { eventually } from '../../support/eventually.ts'
import { describeWith } from '../../support/parts.ts'

vi.setConfig({ testTimeout: 600_000 })

const isTmux = false
const coder = { AGENTMAIL_AGENT: 'coder' }

/** Something that waits until it is let go. */
function latch() {
  let open = () => {}
  const after = new Promise<void>((resolve) => {
    open = resolve
  })
  return { after, open: () => open() }
}

describeWith(['tmux', ...clients.map(programOf)], 'a turn of a real agent', () => {
  it.each(clients)(
    '$name is handed all mail of both kinds at its end, once, and no more while it goes on',
    async (client) => {
      const place = await Workplace.open({ isTmux })
      const agent = await place.hire(client, 'coder')
      await place.setUp()
      const [first, second] = [latch(), latch()]
      agent.model.when(/Write a poem/, { text: 'Written.', after: first.after })
      agent.model.when(/mail number/, { text: 'Read.', after: second.after })
      const write = async (number: number) => {
        const text = `mail number ${number}.`
        if (number % 2 === 0) await place.run('send', 'coder', text)
        else await place.run('post', '--channel', '@coder', 'A mail', text)
      }
      const numbers = Array.from({ length: 12 }, (_, index) => index + 1)

      const turn = agent.once('Write a poem', coder)
      await eventually('it is at work', () => agent.model.requests() === 1)
      for (const number of numbers) await write(number)
      first.open()
      await eventually('it goes on', () => agent.model.requests() === 2)
      await write(13)
      second.open()
      expect(await turn).toMatchObject({ exitCode: 0 })
      const heard = numbers.map((number) => agent.model.timesHeard(`mail number ${number}.`))
      expect(heard).toEqual(numbers.map(() => 1))
      expect(agent.model.has('mail number 13.')).toBe(false)
      expect(agent.model.requests()).toBe(2)
      // Whoever wakes an idle one may have told of the last between the turn and the end of the session.
      const untold = expect.stringMatching(/^(queued|notified)$/)
      expect(await place.sent('desk')).toEqual([untold, ...numbers.map(() => 'read')])
      expect((await place.states()).coder).toBe('offline')

      expect(await agent.once('And now?', coder)).toMatchObject({ exitCode: 0 })
      expect(agent.model.timesHeard('mail number 13.')).toBe(1)
      expect(agent.model.requests()).toBe(3)
      expect(await place.sent('desk')).toEqual(['read', ...numbers.map(() => 'read')])
    },
  )

  /** Has a client edit a file that another holds, after the server was killed in the middle of its turn. */
  async function editWithoutServer(client: Client, env: Env = {}) {
    const place = await Workplace.open({ isTmux, env })
    const agent = await place.hire(client, 'coder')
    const server = await place.setUp()
    await place.run('claim', 'a.txt')
    const { after, open } = latch()
    const [first, ...others] = client.write(place.at('a.txt'), 'A poem\n')
    if (first) agent.model.when(/Write a poem/, { ...first, after }, ...others)
    const turn = agent.once('Write a poem', coder)
    await eventually('it is at work', () => agent.model.requests() === 1)
    process.kill(server, 'SIGKILL')
    open()
    expect(await turn).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done.') })
    // Told by a command, which needs no server.
    expect((await place.states()).coder).toBe('offline')
    return { agent, isWritten: existsSync(place.at('a.txt')) }
  }

  it('goes on where the server was killed: claude, who asks nobody else', async () => {
    const { agent, isWritten } = await editWithoutServer(claude)
    expect([isWritten, agent.model.has('is held by')]).toEqual([true, false])
  })

  it('is refused the edit then with AGENTMAIL_GUARD=closed: claude', async () => {
    const { agent, isWritten } = await editWithoutServer(claude, { AGENTMAIL_GUARD: 'closed' })
    expect(isWritten).toBe(false)
    expect(agent.model.news().at(-1)).toContain('blocking because onFailure is')
  })

  it.each([codex, gemini])('is told all the same, by the database: $name', async (client) => {
    const { agent, isWritten } = await editWithoutServer(client)
    expect(isWritten).toBe(false)
    expect(agent.model.news().at(-1)).toMatch(/a\.txt is held by desk \(/)
  })
})
