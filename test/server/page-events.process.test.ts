/** The page's stream of events, from a server that runs. */
import { describe, expect, it } from 'vitest'
import { ask } from '../support/server/http.ts'
import { PageStream } from '../support/server/page-stream.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'

const server = sharedServer()
let projects = 0
const newProject = () => `project-${++projects}`

describe('GET /api/page/events', () => {
  it('says hello, then tells each entry of the journal as it comes, with the cursor after it', async () => {
    const project = newProject()
    const page = await PageStream.open(server().url)
    const [hello] = await page.until('hello')
    expect(page.names).toEqual(['hello'])
    const agent_id = await server().register('ann', 'coder', project)
    const letter = { agent_id, subject: 'Tea?', body: `${'é😀'.repeat(150)} the end` }
    await server().call('send_message', letter, project)
    await server().call('claim_files', { agent_id, files: ['a.ts'] }, project)
    await server().call('announce_change', { agent_id, file_path: 'a.ts', summary: 'new' }, project)
    const common = { project, agent: 'ann', agent_id, message: null, text: null, file: null }
    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(await page.until('entry', 4)).toEqual([
      { ...common, at, entry: 1, event: 'registered', text: 'coder' },
      {
        ...{ ...common, at, entry: 2, event: 'said' },
        message: { id: 1, channel: 'broadcast', subject: 'Tea?', excerpt: 'é😀'.repeat(100) },
      },
      { ...common, at, entry: 3, event: 'claimed', file: 'a.ts' },
      { ...common, at, entry: 4, event: 'announced', file: 'a.ts', text: 'new' },
    ])
    const ids = page.events.filter(({ name }) => name === 'entry').map(({ id }) => id)
    expect(ids.map((id) => id?.match(/project-1:(\d+)/)?.[1])).toEqual(['1', '2', '3', '4'])
    expect(hello).toMatchObject({ instance: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  })
})
