/** agentmail setup: connect the coding clients that are installed. */
import type { Command } from '../command.ts'

export const command: Command = {
  usage:
    '[client…] [--scope project|user] [--with <toolsets>] [--no-hooks] [--server <url>] [--agents-md] [--dry-run] [--undo] [--yes]',
  summary: 'Connect your coding agents: MCP servers, permissions and hooks in their own files.',
  details: `Clients: claude, codex, gemini, qwen, copilot, opencode, cursor, vscode; without a name, those that are
installed. Shows what it would write as a diff, and asks. Everything else in the files stays as it is, byte
for byte. Run again it changes nothing, or brings old entries up to date.

--undo puts back exactly what was there; where somebody has changed a file since, it takes out the entries of
AgentMail and leaves the rest. No secret is written: tokens are read from the environment by the client.`,
  exitCodes: {
    0: 'done, or there is nothing to do',
    1: 'a file was refused, or nobody said yes; the other files are as it says',
  },
  maxPositionals: 20,
  options: {
    scope: {
      type: 'string',
      value: 'scope',
      about: 'user: wherever you start them (default); project: in this repository',
    },
    with: {
      type: 'string',
      isList: true,
      value: 'toolsets',
      about: 'coordination (default), mailbox, obsidian, gmail, postmark; with commas',
    },
    'no-hooks': { type: 'boolean', about: 'no hooks; those of AgentMail are taken out' },
    server: {
      type: 'string',
      value: 'url',
      about:
        'coordinate through this server, over HTTP, instead of a program that the client starts',
    },
    'agents-md': {
      type: 'boolean',
      about: 'also a paragraph in AGENTS.md; for Claude Code in CLAUDE.md',
    },
    'dry-run': { type: 'boolean', about: 'show what would be written, and write nothing' },
    undo: { type: 'boolean', about: 'put back what was there' },
    yes: { type: 'boolean', about: 'write without asking' },
  },

  async run(call) {
    const { runSetup } = await import('../setup/run.ts')
    return runSetup(call)
  },
}
