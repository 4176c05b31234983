/** Every client that can be set up, by its name. */
import { claudeClient } from './claude.ts'
import type { ClientName, SetupClient } from './client.ts'
import { codexClient } from './codex.ts'
import { copilotClient } from './copilot.ts'
import { cursorClient, vscodeClient } from './editors.ts'
import { geminiClient } from './gemini.ts'
import { opencodeClient } from './opencode.ts'
import { qwenClient } from './qwen.ts'

export const setupClients: Record<ClientName, SetupClient> = {
  claude: claudeClient,
  codex: codexClient,
  gemini: geminiClient,
  qwen: qwenClient,
  copilot: copilotClient,
  opencode: opencodeClient,
  cursor: cursorClient,
  vscode: vscodeClient,
}
