/** Forty files of coding clients as people have them: each has something that a careless editor would lose. */
import type { ClientName } from '../../../src/setup/clients/client.ts'

export interface PeoplesFile {
  name: string
  client: ClientName
  /** Below the home. */
  path: string
  text: string
}

const file =
  (client: ClientName, path: string) =>
  (name: string, text: string): PeoplesFile => ({
    name,
    client,
    path,
    text,
  })

const servers = file('claude', '.claude.json')
const settings = file('claude', '.claude/settings.json')
const codex = file('codex', '.codex/config.toml')
const hooks = file('codex', '.codex/hooks.json')
const gemini = file('gemini', '.gemini/settings.json')
const qwen = file('qwen', '.qwen/settings.json')
const copilot = file('copilot', '.copilot/mcp-config.json')
const opencode = file('opencode', '.config/opencode/opencode.jsonc')
const cursor = file('cursor', '.cursor/mcp.json')
const vscode = file('vscode', '.config/Code/User/mcp.json')

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const tabs = (text: string) => text.replaceAll('  ', '\t')
const four = (text: string) => text.replaceAll('  ', '    ')

const other = `{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "server-github"],
      "env": { "GITHUB_TOKEN": "ghp_not_one" }
    }
  },
  "theme": "dark"
}
`

const withHooks = `{
  "model": "opus",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Read(~/notes/**)"],
    "deny": []
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "~/bin/check-command" }]
      }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }]
  }
}
`

const commented = `// My settings. Do not sort!
{
  // the look
  "theme": "dark", /* not light */
  "mcp": {
    // the browser
    "playwright": { "type": "local", "command": ["npx", "playwright-mcp"], "enabled": true }, // slow
  },
  "list": [
    1,
    2, // two
  ],
  /* the end */
}
// really
`

const toml = `# My Codex
model = "gpt-6"
approval_policy = "on-request"   # ask me

[mcp_servers.docs]
command = "docs-server"
args = [
  "--quiet",  # it talks
  "[mcp_servers.agentmail]",
]

[mcp_servers.docs.env]
API_KEY = "not-one"

[projects."/home/me/my [odd] folder"]
trust_level = "trusted"
`

export const peoplesFiles: PeoplesFile[] = [
  servers('empty', ''),
  servers('blank lines', '\n\n'),
  servers('an empty object', '{}'),
  servers('an empty object and a line end', '{}\n'),
  servers('an empty object over lines', '{\n}\n'),
  servers('another server', other),
  servers('tabs', tabs(other)),
  servers('four blanks', four(other)),
  servers('CRLF', crlf(other)),
  servers('a BOM', `\ufeff${other}`),
  servers('a BOM, CRLF and tabs', `\ufeff${crlf(tabs(other))}`),
  servers('no line end at the end', other.trimEnd()),
  servers('one line', '{"mcpServers":{"x":{"command":"y","args":[]}},"numStartups":12}'),
  servers('one line with blanks', '{ "theme": "dark", "projects": { "/a": { "allowed": [] } } }\n'),
  servers('empty servers', '{\n  "mcpServers": {},\n  "a": 1\n}\n'),
  servers(
    'numbers that no program writes',
    '{\n  "a": 1.0, "b": 1e3,\n  "c": 12345678901234567890\n}\n',
  ),
  servers(
    'escapes and names of prototypes',
    '{\n  "\\u0061\\/b": "\\u00e9\\ud83d\\ude00",\n  "constructor": {"toString": 1}\n}\n',
  ),
  servers('colons and braces in strings', '{\n  "a": "}, // {",\n  "b": "/* \\" */"\n}\n'),
  settings('hooks and permissions of their own', withHooks),
  settings('the same with tabs and CRLF', crlf(tabs(withHooks))),
  settings(
    'empty permissions and hooks',
    '{\n  "permissions": { "allow": [] },\n  "hooks": {}\n}\n',
  ),
  settings(
    'a list over lines',
    '{\n  "permissions": {\n    "allow": [\n      "Edit",\n      "Write"\n    ]\n  }\n}\n',
  ),
  settings(
    'hooks on one line',
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  ),
  codex('tables, comments and lists', toml),
  codex('CRLF', crlf(toml)),
  codex('no line end at the end', toml.trimEnd()),
  codex('a BOM', `\ufeff${toml}`),
  codex(
    'strings over several lines',
    'notes = """\n[mcp_servers.agentmail]\ncommand = "x"\n"""\nmore = \'\'\'\n[a]\n"""\'\'\'\n',
  ),
  codex('only comments', '# nothing yet\n'),
  codex(
    'dates, numbers and inline tables',
    'at = 1979-05-27T07:32:00Z\nbig = 9_007_199_254_740_993\n"quoted key" = { a.b = 1 }\n[[list]]\nx = 1\n[[list]]\nx = inf\n',
  ),
  hooks(
    'hooks of others',
    '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "notify"}]}]\n  }\n}\n',
  ),
  gemini(
    'options beside hooks',
    '{\n  "hooks": { "enabled": true, "disabled": ["lint"] },\n  "security": {"auth": {"selectedType": "x"}}\n}\n',
  ),
  gemini('comments', commented.replace('"mcp"', '"mcpServers"')),
  qwen('CRLF and a comment at the end', crlf('{\n  "a": 1 // one\n  // the end\n}\n')),
  copilot(
    'a server',
    '{\n  "mcpServers": {\n    "x": { "type": "local", "command": "x", "args": [], "tools": ["*"] }\n  }\n}\n',
  ),
  opencode('comments and trailing commas', commented),
  opencode('the same with CRLF and tabs', crlf(tabs(commented))),
  opencode('comments alone in an object', '{\n  "mcp": {\n    // nothing yet\n  }\n}\n'),
  cursor(
    'odd layout',
    '{ "mcpServers" :\n  {"a":{"url":"http://x"}\n  ,"b":{"url":"http://y"} } }',
  ),
  vscode(
    'inputs and trailing commas',
    '{\n\t"inputs": [{"id": "k", "type": "promptString", "password": true,},],\n\t"servers": {"z": {"type": "stdio", "command": "z",},},\n}',
  ),
]
