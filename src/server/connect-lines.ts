/** What to paste to connect each client: one that starts AgentMail itself, or one that reaches a server. */

import { shellWord } from '../system/text.ts'

export interface ConnectLine {
  client: string
  line: string
}

export const whyStdio =
  'Agents on this machine do best on STDIO, which keeps them alive for as long as their client runs: over HTTP the current protocol holds no stream, so that an agent which is silent for two minutes, in a long build, loses its files.'

/**
 * In whichever repository the client is started, that is its project.
 *
 * @param place options by which they find the database, where it is not the usual one.
 */
export function stdioLines(place: string[] = []): ConnectLine[] {
  const command = ['agentmail', 'mcp', 'coordination', ...place].map(shellWord).join(' ')
  const inFile = `"command": "agentmail", "args": ${JSON.stringify(['mcp', 'coordination', ...place])}`
  return [
    { client: 'Claude Code', line: `claude mcp add agentmail -- ${command}` },
    { client: 'Codex', line: `codex mcp add agentmail -- ${command}` },
    { client: 'Gemini CLI', line: `gemini mcp add agentmail ${command}` },
    { client: 'Others', line: `{"mcpServers": {"agentmail": {${inFile}}}}` },
  ]
}

/** The token itself is never shown: its name is. */
export function connectLines(url: string, hasToken: boolean, project: string): ConnectLine[] {
  const path = encodeURIComponent(project)
  const mcp = `${url}/mcp/${path}`
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
    { client: 'Older clients', line: `SSE at ${url}/sse/${path}` },
  ]
}
