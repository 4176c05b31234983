/** Serves a toolset on standard input and output until the client or the system ends it. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { log } from '../system/log.ts'
import { type Answer, makeServer, type Toolset } from './mcp-server.ts'
import { type StdioOptions, StdioTransport } from './stdio-transport.ts'

/** Settled with the exit code: 0 when the client closed its input or a signal came, 1 when the client stopped reading. */
export function serveOnStdio<Context>(
  toolset: Toolset<Context>,
  answer: Answer<Context>,
  options: StdioOptions,
): Promise<number> {
  const transport = new StdioTransport(process.stdin, process.stdout, options)
  const ended = new Promise<number>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => resolve(0))
    transport.ended.then((isComplete) => resolve(isComplete ? 0 : 1))
  })
  serveStdio(() => makeServer(toolset, answer), {
    transport,
    onerror: (error) => log(`protocol: ${error.message}`),
  })
  return ended
}
