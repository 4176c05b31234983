/** agentmail serve: run the coordination server. */
import { Config, optionsOf } from '../../config.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: '[--host <address>] [--port <n>] [--db <file>] [--project <name>]',
  summary: 'Run the coordination server: nine tools for agents, over HTTP.',
  details:
    'MCP clients connect to /mcp (or /mcp/<project>), older ones to /sse; / is a page for people.\nWithout a project in the address they are in the one of this folder, or that --project names.\nBeyond loopback it wants AGENTMAIL_TOKEN, and clients send that as a bearer token.\nCtrl-C or kill stops it: what is under way is finished first.',
  exitCodes: {
    2: 'a setting is wrong',
    3: 'the port is in use',
    4: 'the database is locked',
    5: 'the database cannot be opened, or is gone under a server that still runs for it',
  },
  options: optionsOf('host', 'port', 'db', 'project'),

  async run({ flags, json }) {
    const { runServer } = await import('../../server/serve.ts')
    return runServer(new Config(flags), { json })
  },
}
