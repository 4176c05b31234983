/** A session that goes into another folder stays the agent that it is, with what it holds, whoever hears of it. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPlace, type Place } from '../support/coordination/coordination.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { TestServer } from '../support/server/server.ts'

const hook = (place: Place, cwd: string, event: string, more: object = {}) =>
  place.run(['hook', 'claude'], {
    env: { ...place.env, AGENTMAIL_HOOK_MS: '30000' },
    input: JSON.stringify({ session_id: 's', cwd, hook_event_name: event, ...more }),
  })

const write = (path: string) => ({ tool_name: 'Write', tool_input: { file_path: path } })

async function expectOneAgent(place: Place, files: string[]) {
  expect(await place.json(['agents'])).toMatchObject({ agents: [{ name: 'claude-1' }] })
  const held = files.map((file_path) => ({ file_path, holder_name: 'claude-1' }))
  expect(await place.json(['claims'])).toMatchObject({ claims: held })
}

it('without a server', async () => {
  const place = await openPlace('the database itself')
  const elsewhere = repository()
  await hook(place, place.repository, 'SessionStart')
  await hook(place, elsewhere, 'PreToolUse', write(join(place.repository, 'a.ts')))
  await expectOneAgent(place, ['a.ts'])
  await hook(place, elsewhere, 'SessionEnd')
  expect(await place.json(['agents'])).toEqual({ agents: [] })
})

it('at a server that was started anew', async () => {
  const place = await openPlace('a running server')
  const elsewhere = repository()
  await hook(place, place.repository, 'SessionStart')
  await place.server?.stop()
  const { database: db, repository: cwd } = place
  await TestServer.start({ db, cwd, env: place.env })
  await hook(place, elsewhere, 'PreToolUse', write(join(place.repository, 'a.ts')))
  await hook(place, elsewhere, 'SessionStart', { source: 'compact' })
  await expectOneAgent(place, ['a.ts'])
})
