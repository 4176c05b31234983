/** A coordination server of the built binary, and calls to it: raw over HTTP, or with the official client. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { join } from 'node:path'
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { beforeAll, onTestFinished } from 'vitest'
import * as z from 'zod'
import { type Env, ended, type Ran, start } from '../agentmail.ts'
import { afterAllTests } from '../at-end.ts'
import { type Era, revisions } from '../mcp/protocol.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const started = z.object({
  event: z.literal('started'),
  url: z.string(),
  database: z.string(),
  pid: z.number(),
})

export interface ServerOptions {
  env?: Env
  args?: string[]
  /** The database; one in a new folder without it. */
  db?: string
  /** In no repository without it: its own project is `default`. */
  cwd?: string
}

export class TestServer {
  readonly url: string
  readonly database: string
  readonly pid: number
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ran>

  private constructor(child: ChildProcessWithoutNullStreams, ended: Promise<Ran>, line: string) {
    const { url, database, pid } = started.parse(JSON.parse(line))
    this.url = url
    this.database = database
    this.pid = pid
    this.child = child
    this.ended = ended
  }

  /** Starts one on a free port, and kills it when the test is over. */
  static async start(
    { env = {}, args = [], db, cwd }: ServerOptions = {},
    atEnd: (end: () => void) => void = onTestFinished,
  ): Promise<TestServer> {
    const database = db ?? join(temporaryFolder(atEnd), 'agentmail.db')
    const child = start(['serve', '--json', '--port', '0', '--db', database, ...args], {
      env,
      cwd: cwd ?? temporaryFolder(atEnd),
    })
    atEnd(() => {
      child.kill('SIGKILL')
    })
    const over = ended(child)
    const line = await Promise.race([
      firstLine(child),
      over.then(({ stderr }) => Promise.reject(new Error(`The server did not start: ${stderr}`))),
    ])
    return new TestServer(child, over, line)
  }

  /** Ends it in an orderly way. */
  stop(): Promise<Ran> {
    this.child.kill('SIGTERM')
    return this.ended
  }

  call(tool: string, args: object = {}, project?: string): Promise<ToolAnswer> {
    return callTool(this.url, tool, args, project)
  }

  /** Registers an agent and gives its id. */
  async register(name: string, role = 'coder', project?: string): Promise<string> {
    const { structuredContent } = await this.call('register', { name, role }, project)
    return z.object({ agent_id: z.string() }).parse(structuredContent).agent_id
  }

  /** The official client, connected over Streamable HTTP or SSE. */
  connect(transport: 'http' | 'sse', era: Era = 'legacy', project?: string): Promise<Client> {
    return connectClient(this.url, transport, era, project)
  }
}

/** One server for all the tests of a block, which leave it as they found it. */
export function sharedServer(options: ServerOptions = {}): () => TestServer {
  const atEnd = afterAllTests()
  let server: TestServer | undefined
  beforeAll(async () => {
    server = await TestServer.start(options, atEnd)
  })
  return () => {
    if (!server) throw new Error('The server is started before the tests, not before that')
    return server
  }
}

function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})
export type ToolAnswer = z.infer<typeof resultSchema> & {
  /** The text of its first item. */
  text: string
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

let lastId = 0

/** Calls a tool with one plain request of the modern era. */
export async function callTool(
  url: string,
  tool: string,
  args: object = {},
  project?: string,
  options: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<ToolAnswer> {
  const response = await fetch(`${url}/mcp${project ? `/${encodeURIComponent(project)}` : ''}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revisions.modern,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      ...options.headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: ++lastId,
      method: 'tools/call',
      params: { name: tool, arguments: args, _meta: meta },
    }),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const body = z.object({ result: resultSchema }).parse(await response.json())
  return { ...body.result, text: body.result.content[0]?.text ?? '' }
}

export async function connectClient(
  url: string,
  transport: 'http' | 'sse',
  era: Era = 'legacy',
  project?: string,
): Promise<Client> {
  const mode = era === 'modern' ? { pin: revisions.modern } : era
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const path = `${transport === 'http' ? '/mcp' : '/sse'}${project ? `/${project}` : ''}`
  const address = new URL(`${url}${path}`)
  onTestFinished(() => client.close())
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(address)
      : new SSEClientTransport(address),
  )
  return client
}
