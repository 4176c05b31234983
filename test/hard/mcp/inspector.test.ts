/** The MCP Inspector, which many try a server with first, against the built binary in both protocol eras. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it, type TestContext } from 'vitest'
import * as z from 'zod'
import { agentmail, binary, type Env, ended, plainEnv, type Ran } from '../../support/agentmail.ts'
import { eras } from '../../support/mcp/protocol.ts'
import { TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { TestVault } from '../../support/vault/vault.ts'

const timeout = 240_000

const npx = (...args: string[]) =>
  spawn('npx', ['-y', '-p', '@modelcontextprotocol/inspector@2.12.0', ...args], {
    env: { ...inject('machine'), npm_config_fetch_retries: '1' },
  })

/** Fetched once; to go through npx each time would take as long again. */
let fetched: Promise<Ran> | undefined

async function inspector(...args: string[]): Promise<Ran> {
  const folder = temporaryFolder()
  const program = (await fetched)?.stdout.trim() ?? ''
  const child = spawn(process.execPath, [program, '--cli', ...args], {
    env: plainEnv({
      MCP_CATALOG_PATH: join(folder, 'catalog.json'),
      MCP_CLIENT_CONFIG_PATH: join(folder, 'client.json'),
    }),
  })
  child.stdin.end()
  return ended(child)
}

/** Without a network there is no Inspector: the test is skipped with a word, and in CI it fails. */
async function needInspector({ skip }: TestContext): Promise<void> {
  fetched ??= ended(npx('-c', 'command -v mcp-inspector'))
  const { exitCode, stderr } = await fetched
  if (exitCode === 0) return
  if (process.env.CI) throw new Error(`npx cannot run the Inspector: ${stderr}`)
  skip('npx cannot fetch the Inspector')
}

/** What a toolset's listing must be. Tools are listed in the order of their file names. */
function snapshots(toolset: string): unknown[] {
  const folder = join(import.meta.dirname, '../../tool-snapshots', toolset)
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

/** Asks the server of a toolset; only what is given with -e reaches it. */
async function ask(toolset: string, env: Env, ...args: string[]): Promise<unknown> {
  const given = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const target = [process.execPath, binary, 'mcp', toolset]
  const { stdout, stderr, exitCode } = await inspector(...target, ...given, ...args)
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout)
}

describe.each(eras)('the Inspector, %s era', (era) => {
  const as = (name: string, folder: string) => ({
    AGENTMAIL_AGENT: name,
    AGENTMAIL_DIR: join(folder, '.agentmail'),
  })

  it('lists the four tools', { timeout }, async (context) => {
    await needInspector(context)
    const env = as('a', temporaryFolder())
    const listing = await ask('mailbox', env, '--protocol-era', era, '--method', 'tools/list')
    const { tools } = z.object({ tools: z.array(z.unknown()) }).parse(listing)
    expect(tools).toEqual(snapshots('mailbox'))
  })

  it('sends a message, which the CLI reads', { timeout }, async (context) => {
    await needInspector(context)
    const folder = temporaryFolder()
    await agentmail(['status', 'ready'], { env: as('b', folder) })
    const answer = await ask(
      'mailbox',
      as('a', folder),
      ...['--protocol-era', era, '--method', 'tools/call'],
      ...['--tool-name', 'send', '--tool-arg', 'recipient=b', 'message=hi'],
    )
    const { message_id: id } = z
      .object({ structuredContent: z.object({ message_id: z.string() }) })
      .parse(answer).structuredContent
    expect((await agentmail(['receive'], { env: as('b', folder) })).stdout).toBe(
      `From: a\nID: ${id}\n\nhi\n`,
    )
  })
})

describe.each(eras)('the Inspector on a vault, %s era', (era) => {
  it('lists the five tools and reads a note', { timeout }, async (context) => {
    await needInspector(context)
    const vault = new TestVault()
    vault.put('Inbox/a note.md', '---\nstatus: pending\n---\nText')
    const inspect = (...args: string[]) =>
      ask('obsidian', vault.env, '--protocol-era', era, '--method', ...args)
    const { tools } = z.object({ tools: z.array(z.unknown()) }).parse(await inspect('tools/list'))
    expect(tools).toEqual(snapshots('obsidian'))
    const call = ['tools/call', '--tool-name', 'read_note', '--tool-arg', 'path=Inbox/a note.md']
    expect(await inspect(...call)).toMatchObject({
      structuredContent: { frontmatter: { status: 'pending' }, body: 'Text' },
    })
  })
})

describe.each([
  ['http', 'legacy', '/mcp'],
  ['http', 'modern', '/mcp'],
  ['sse', 'legacy', '/sse'],
])('the Inspector over %s, %s era', (transport, era, path) => {
  it('lists the nine coordination tools and calls one', { timeout }, async (context) => {
    await needInspector(context)
    const server = await TestServer.start()
    const inspect = async (...args: string[]): Promise<unknown> => {
      const target = [`${server.url}${path}`, '--transport', transport, '--protocol-era', era]
      const { stdout, stderr, exitCode } = await inspector(...target, ...args)
      expect(exitCode, stderr).toBe(0)
      return JSON.parse(stdout)
    }
    const { tools } = z
      .object({ tools: z.array(z.unknown()) })
      .parse(await inspect('--method', 'tools/list'))
    expect(tools).toEqual(snapshots('coordination'))
    const call = ['--tool-name', 'register', '--tool-arg', 'name=inspector', 'role=tester']
    await inspect('--method', 'tools/call', ...call)
    const agents = await agentmail(['agents', '--json', '--server', server.url], {
      cwd: temporaryFolder(),
    })
    expect(agents.stdout).toContain('"name":"inspector"')
  })
})
