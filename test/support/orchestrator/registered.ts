/** An agent that is registered in the project of an orchestrator's home, as long as the test goes on. */
import { connect } from '../mcp/mcp-client.ts'
import { ToolClient } from '../mcp/tool-client.ts'
import type { OrchestratorHome } from './orchestrator-home.ts'

export async function registeredAt(
  { env, folder: cwd }: Pick<OrchestratorHome, 'env' | 'folder'>,
  name: string,
  role: string,
): Promise<void> {
  const client = await connect('auto', { env, cwd, args: ['mcp', 'coordination'] })
  await new ToolClient(client).call('register', { name, role })
}
