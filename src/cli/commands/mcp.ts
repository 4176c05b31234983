/** agentmail mcp: serve a toolset to an MCP client on standard input and output. */
import { Config, optionsOf } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Command } from '../command.ts'

const toolsets: Record<string, (config: Config) => Promise<number>> = {
  mailbox: async (config) => (await import('../../mcp/toolsets/mailbox.ts')).serveMailbox(config),
  gmail: async (config) => (await import('../../mcp/toolsets/gmail.ts')).serveGmail(config),
  coordination: async (config) =>
    (await import('../../mcp/toolsets/coordination.ts')).serveCoordination(config),
  obsidian: async (config) =>
    (await import('../../mcp/toolsets/obsidian.ts')).serveObsidian(config),
  postmark: async (config) =>
    (await import('../../mcp/toolsets/postmark.ts')).servePostmark(config),
}

export const command: Command = {
  usage: '[toolset]',
  summary: 'Serve a toolset to an MCP client on STDIO (default: mailbox).',
  details: `Toolsets: ${Object.keys(toolsets).join(', ')}.\nStart it from your client's configuration; it ends when the client closes its input.`,
  maxPositionals: 1,
  options: optionsOf('db', 'server', 'project', 'vault', 'gmailAccount'),

  run({ flags, positionals: [name = 'mailbox'] }) {
    const serve = Object.hasOwn(toolsets, name) ? toolsets[name] : undefined
    if (serve) return serve(new Config(flags))
    throw new AgentMailError(
      'invalid_request',
      `unknown toolset: ${name}${didYouMean(name, Object.keys(toolsets))}`,
      `There is: ${Object.keys(toolsets).join(', ')}.`,
    )
  },
}
