/** The files of the plugin and of the Gemini extension that are made from what `agentmail setup` writes, and from the texts beside them. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const name = 'agentmail'

/** @param clients those of src/setup/clients @param about package.json @returns texts by their path below `plugins` */
export function pluginFiles(plugins, clients, about) {
  const wanted = {
    ...{ program: 'agentmail', scope: 'user', port: 8391 },
    ...{ isGuardClosed: false, isPlugin: true },
  }
  const { version, license } = about
  const description =
    'Mail between coding agents, and a file is edited by one of them at a time: MCP server, hooks, a skill, /mail and /who.'
  const author = { name: 'AgentMail' }
  const serversOf = (client) => ({ [name]: clients[client].mcpEntryOf('coordination', wanted) })
  const hooksOf = (client) => ({
    ...clients[client].hooksFile,
    hooks: clients[client].hooksOf(wanted),
  })
  const manifestOf = (client) => ({
    ...{ name, version, description, author, license },
    keywords: ['agents', 'coordination', 'mail', 'claims'],
    hooks: `./hooks/${client}.json`,
    mcpServers: serversOf(client),
  })
  const skill = readFileSync(join(plugins, 'agentmail/skills/agentmail/SKILL.md'), 'utf8')
  const files = {
    '.claude-plugin/marketplace.json': {
      name,
      owner: author,
      metadata: { description: 'AgentMail, the post office for AI agents.' },
      plugins: [{ name, source: './agentmail', description }],
    },
    // Each client reads its own before Claude's, so that each has hooks in its own form.
    'agentmail/.claude-plugin/plugin.json': manifestOf('claude'),
    'agentmail/.codex-plugin/plugin.json': manifestOf('codex'),
    'agentmail/.github/plugin/plugin.json': manifestOf('copilot'),
    'agentmail/hooks/claude.json': hooksOf('claude'),
    'agentmail/hooks/codex.json': hooksOf('codex'),
    'agentmail/hooks/copilot.json': hooksOf('copilot'),
    'gemini/gemini-extension.json': {
      ...{ name, version, description },
      contextFileName: 'AGENTMAIL.md',
      mcpServers: serversOf('gemini'),
    },
    'gemini/hooks/hooks.json': hooksOf('gemini'),
    'gemini/AGENTMAIL.md': parted(skill).body,
  }
  const commands = join(plugins, 'agentmail/commands')
  for (const file of readdirSync(commands)) {
    const { head, body } = parted(readFileSync(join(commands, file), 'utf8'))
    const [, about] = /^description: (.*)$/m.exec(head)
    const toml = { description: about, prompt: body.trim() }
    const lines = Object.entries(toml).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    files[`gemini/commands/${basename(file, '.md')}.toml`] = lines.join('')
  }
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    ]),
  )
}

/** A page of Markdown, and what stands above it between lines of `---`. */
function parted(text) {
  const [, head, body] = /^---\n(.*?)\n---\n+(.*)$/s.exec(text)
  return { head, body }
}
