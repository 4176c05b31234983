/** Who proposed a draft: the inbox and the notices of the person name them, and the project that they are in. */
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail, type Env } from '../support/agentmail.ts'
import { openSession, repository } from '../support/mailbox/tmux.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { ToldHome } from '../support/notices/told-home.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Item {
  from: string
  text: string
}

async function proposers(home: ToldHome): Promise<string[]> {
  const { stdout } = await home.run(['inbox', '--json', '--as', 'human'])
  const inbox: Item[] = JSON.parse(stdout).inbox
  return inbox.map(({ from, text }) => `${text.replace(/^.*: /, '')} by ${from}`).sort()
}

async function call(toolset: string, tool: string, args: object, env: Env, cwd: string) {
  const client = await LineClient.open({ args: ['mcp', toolset], env, cwd })
  const { result } = await client.call(tool, args)
  expect(result).toMatchObject({ structuredContent: expect.anything() })
  expect(result).not.toMatchObject({ isError: true })
  await client.finish()
}

describeWith('tmux', 'a draft', () => {
  it('is from the agent, window or orchestrator that proposed it, whatever it says of itself', async () => {
    const home = await ToldHome.start()
    const session = openSession(['writer', 'two'])
    await session.run(1, ['name', 'reviewer'])
    const cwd = session.repository
    const at = (window: number) => ({ ...home.env, ...session.env(window) })
    const mail = (subject: string) => ({ to: 'jane@example.com', subject, body: 'Hello' })
    await call('gmail', 'send_email', mail('One'), at(0), cwd)
    await call('gmail', 'send_email', mail('Two'), at(1), cwd)
    await call('gmail', 'send_email', mail('Three'), { ...at(0), AGENTMAIL_AGENT: 'ann' }, cwd)
    await call('gmail', 'send_email', mail('Four'), home.env, cwd)
    const note = (name: string) => ({
      path: `Drafts/${name}.md`,
      frontmatter: { to: 'jane@example.com', subject: name, proposed_by: 'eve', by: 'eve' },
      body: 'Hello',
    })
    await call('obsidian', 'write_note', note('Five'), at(1), cwd)
    home.put('Drafts/six.md', '---\nto: jane@example.com\nsubject: Six\n---\nHello\n')
    home.put(
      'Rules.md',
      '---\nrules:\n  - {subject: hours, decision: draft_reply, reply: "At nine."}\n---\n',
    )
    home.add('From: Eve <eve@example.com>\r\nMessage-ID: <1@x>\r\nSubject: hours\r\n\r\nHi\r\n')
    expect((await home.once()).stderr).toBe('')
    expect(await proposers(home)).toEqual(
      [
        ...['One by writer', 'Two by reviewer', 'Three by ann', 'Four by agentmail'],
        ...['Five by reviewer', 'Six by agentmail', 'hours by orchestrator'],
      ].sort(),
    )
    await home.came(6)
    await home.drained()
    const told = home.receiver.bodies.map((body) => {
      const { subject, from, project } = Object(body)
      return `${subject} by ${from} in ${project}`
    })
    const project = basename(cwd)
    expect(told.sort()).toEqual(
      [
        ...['One by writer', 'Two by reviewer', 'Three by ann'].map((it) => `${it} in ${project}`),
        ...['Four by agentmail', 'Five by reviewer'].map((it) => `${it} in ${project}`),
        'Re: hours by orchestrator in default',
      ].sort(),
    )
  })
})

it('is told with the name that the project of its repository has, or will get', async () => {
  const home = await ToldHome.start()
  const cwd = repository()
  const env = { ...home.env, XDG_DATA_HOME: temporaryFolder() }
  const send = ['mail', 'send', '--to', 'jane@example.com', '--body', 'Hello', '--subject']
  const name = basename(cwd)
  expect((await agentmail([...send, 'One'], { cwd, env })).exitCode).toBe(0)
  await home.came(1)
  await agentmail(['post', 'x', 'y', '--as', 'ann'], { cwd, env })
  await agentmail(['projects', 'rename', name, 'shop'], { cwd, env })
  await agentmail([...send, 'Two'], { cwd, env })
  await home.came(2)
  await home.drained()
  expect(home.receiver.bodies).toMatchObject([{ project: name }, { project: 'shop' }])
})
