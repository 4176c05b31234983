/** The real coding agents that `.ci/run` installs: how each finds its model, what it looks like, and what it asks. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Answer } from './scripted-model.ts'

export interface Place {
  home: string
  /** Where it works. */
  folder: string
  /** The address of its model. */
  model: string
}

export interface Client {
  name: string
  args: string[]
  env: (place: Place) => Record<string, string>
  /** Files below its home: all that it would otherwise ask at its first start. */
  files: (place: Place) => Record<string, string | object>
  /** What only an idle prompt shows. */
  idle: RegExp
  /** What it shows while a turn runs. */
  running: RegExp
  /** A call of its shell that it asks a person about. */
  run: (command: string) => Answer
  /** What that question shows. */
  question: RegExp
  /** The word that opens a menu, and what the menu shows. */
  menu: [string, RegExp]
  /** More arguments, with which it asks nobody before it edits, and runs hooks that nobody has looked at. */
  trusting: string[]
  /** The arguments of one turn without a window. */
  once: (prompt: string) => string[]
  /** The calls that write a file, whether it is there or not. */
  write: (file: string, text: string) => Answer[]
  /** The calls of a tool of the server `agentmail`. */
  use: (tool: string, input: object) => Answer[]
  /** What is typed to leave it. */
  leave: string
}

const claude: Client = {
  name: 'claude',
  args: ['--permission-mode', 'default'],
  env: ({ model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  files: ({ folder }) => ({
    '.claude.json': {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['scripted'], rejected: [] },
      projects: { [folder]: { hasTrustDialogAccepted: true } },
    },
  }),
  idle: /\? for shortcuts/,
  running: /esc to interrupt/,
  run: (command) => ({ call: 'Bash', input: { command, description: 'Try it' } }),
  question: /Do you want to proceed\?/,
  menu: ['/model', /Select model/],
  trusting: ['--allowedTools', 'Read,Write,Edit'],
  once: (prompt) => ['-p', prompt],
  // It writes over nothing that it has not read; where there is nothing, that is no harm.
  write: (file_path, content) => [
    { call: 'Read', input: { file_path } },
    { call: 'Write', input: { file_path, content } },
  ],
  // Most tools of servers are shown only to who searches for them.
  use: (tool, input) => [
    { call: 'ToolSearch', input: { query: `select:mcp__agentmail__${tool}`, max_results: 5 } },
    { call: `mcp__agentmail__${tool}`, input },
  ],
  leave: '/exit',
}

const codex: Client = {
  name: 'codex',
  args: ['--no-daemon'], // one for all windows would outlive the test
  env: () => ({ SCRIPTED_KEY: 'scripted' }),
  files: ({ folder, model }) => ({
    '.codex/config.toml': [
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${model}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      `[projects."${folder}"]`,
      'trust_level = "trusted"',
      '[notice.model_migrations]',
      '"gpt-5.5" = "gpt-6-sol"',
    ].join('\n'),
  }),
  idle: /\? for shortcuts/,
  running: /esc to interrupt/,
  run: (cmd) => ({
    call: 'exec_command',
    input: { cmd, sandbox_permissions: 'require_escalated', justification: 'Try it' },
  }),
  question: /Would you like to run the following command\?/,
  menu: ['/model', /Select Model/],
  trusting: ['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust'],
  once: (prompt) => ['exec', prompt],
  write: (file, text) => [
    {
      call: 'apply_patch',
      input: {
        patch: `*** Begin Patch\n*** Add File: ${file}\n${text.replace(/^(?=.)/gm, '+')}*** End Patch`,
      },
      as: 'text',
    },
  ],
  use: (tool, input) => [
    { call: 'tool_search', input: { query: tool, limit: 8 }, as: 'search' },
    { call: tool, input, as: { namespace: 'mcp__agentmail' } },
  ],
  leave: '/quit',
}

const gemini: Client = {
  name: 'gemini',
  args: ['--model', 'gemini-2.5-flash'],
  env: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_API_KEY: 'scripted',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  files: () => ({
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
    },
  }),
  idle: /Type your message/,
  running: /esc to cancel/,
  run: (command) => ({ call: 'run_shell_command', input: { command, description: 'Try it' } }),
  question: /Allow execution of/,
  menu: ['/theme', /Select Theme/],
  trusting: ['--yolo'],
  once: (prompt) => ['-p', prompt],
  write: (file_path, content) => [{ call: 'write_file', input: { file_path, content } }],
  use: (tool, input) => [{ call: `mcp_agentmail_${tool}`, input }],
  leave: '/quit',
}

export const clients = [claude, codex, gemini]
export { claude, codex, gemini }

/** Below a folder of PATH, where `.ci/run` puts it. */
export const programOf = ({ name }: Client): string =>
  join('clients', name, 'node_modules/.bin', name)

/** Writes what it would otherwise ask. */
export function fillHome(client: Client, place: Place): void {
  for (const [file, content] of Object.entries(client.files(place))) {
    const path = join(place.home, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** Nothing of the machine is in its environment. */
export const environmentOf = (client: Client, place: Place): Record<string, string> => ({
  HOME: place.home,
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  TERM: 'screen-256color',
  LANG: 'C.UTF-8',
  ...client.env(place),
})

/** Its home, filled, and the command that starts it. */
export function commandOf(client: Client, program: string, place: Place): string[] {
  fillHome(client, place)
  const variables = Object.entries(environmentOf(client, place)).map(
    ([name, value]) => `${name}=${value}`,
  )
  return ['env', '-i', '-C', place.folder, ...variables, program, ...client.args]
}
