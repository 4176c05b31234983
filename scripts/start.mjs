/** npm start: installs and builds what is missing, then says what is there and how to connect a client. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure, root } from './ensure.mjs'

await ensure()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const binary = join(root, 'dist/agentmail.cjs')

console.log(`AgentMail ${version} is built: ${binary}

Give it a name for your shell:
  alias agentmail="node '${binary}'"

Then, in a tmux window of any git repository:
  agentmail recipients             who is there
  agentmail send <window> "hello"  write to one
  agentmail receive                read your mail
  agentmail mailman --daemon       wake agents that have mail

Connect an MCP client to the mailbox:
  Claude Code   claude mcp add agentmail -- node '${binary}' mcp
  Codex         [mcp_servers.agentmail] in ~/.codex/config.toml:
                command = "node"
                args = ["${binary}", "mcp"]
                env_vars = ["TMUX", "TMUX_PANE"]
  Gemini CLI    gemini mcp add agentmail node '${binary}' mcp
  Cursor        .cursor/mcp.json:
                {"mcpServers": {"agentmail": {"command": "node", "args": ["${binary}", "mcp"]}}}`)
