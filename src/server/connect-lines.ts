/** What to paste to connect each client to a server. */

/** The token itself is never shown: its name is. */
export function connectLines(url: string, hasToken: boolean): { client: string; line: string }[] {
  const mcp = `${url}/mcp`
  const header = 'Authorization: Bearer $AGENTMAIL_TOKEN'
  const inFile = hasToken ? ', "headers": {"Authorization": "Bearer <token>"}' : ''
  return [
    {
      client: 'Claude Code',
      line: `claude mcp add --transport http agentmail ${mcp}${hasToken ? ` --header "${header}"` : ''}`,
    },
    {
      client: 'Codex',
      line: `codex mcp add agentmail --url ${mcp}${hasToken ? ' --bearer-token-env-var AGENTMAIL_TOKEN' : ''}`,
    },
    {
      client: 'Gemini CLI',
      line: `gemini mcp add --transport http${hasToken ? ` --header "${header}"` : ''} agentmail ${mcp}`,
    },
    {
      client: 'Cursor',
      line: `.cursor/mcp.json: {"mcpServers": {"agentmail": {"url": "${mcp}"${inFile}}}}`,
    },
    {
      client: 'VS Code',
      line: `.vscode/mcp.json: {"servers": {"agentmail": {"type": "http", "url": "${mcp}"${inFile}}}}`,
    },
    { client: 'Older clients', line: `SSE at ${url}/sse` },
  ]
}
