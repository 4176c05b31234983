/** The official client of `agentmail mcp [toolset]`, in both protocol eras. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { binary, type Env, plainEnv } from '../agentmail.ts'
import { type Era, revisions } from './protocol.ts'

export interface ServerOptions {
  env: Env
  cwd?: string
  /** What starts the server; `mcp` without it. */
  args?: string[]
}

/** The official client, connected to a server of its own. */
export async function connect(
  era: Era | 'auto',
  options: ServerOptions,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<Client> {
  const mode = era === 'modern' ? { pin: revisions.modern } : era
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, ...(options.args ?? ['mcp'])],
    env: Object.fromEntries(
      Object.entries(plainEnv(options.env)).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value]],
      ),
    ),
    stderr: 'ignore',
    ...(options.cwd ? { cwd: options.cwd } : {}),
  })
  atEnd(() => client.close())
  await client.connect(transport)
  return client
}
