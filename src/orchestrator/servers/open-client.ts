/** Opens the gmail or the obsidian server: our own toolset in this process, or the one that the settings name. */
import type { Config } from '../../config.ts'
import type { Correspondence } from '../../email/correspondence.ts'
import type { OpenToolset } from '../../mcp/server.ts'
import { openGmailToolset } from '../../mcp/toolsets/gmail.ts'
import { openObsidianToolset } from '../../mcp/toolsets/obsidian.ts'
import { settings } from '../../settings.ts'
import { commandWords } from './command-words.ts'
import { McpClient, type McpClientOptions } from './mcp-client.ts'
import { ownServer } from './mcp-connection.ts'
import { ServerProcess } from './server-process.ts'

interface ServerTimes {
  timeoutMs: number
  retryMs: number
  sendMs: number
}

export type OnTrouble = McpClientOptions['onTrouble']

interface OpenClient {
  client: McpClient
  close: () => Promise<void>
}

/** @param mailbox through which our own reads, where somebody else has it too. */
export const openGmailClient = (
  config: Config,
  times: ServerTimes,
  onTrouble: OnTrouble,
  mailbox?: Correspondence,
): OpenClient =>
  openClient(config, times, {
    name: 'gmail',
    command: commandOf(config, 'gmailServer'),
    open: () => openGmailToolset(config, mailbox),
    onTrouble,
  })

export const openObsidianClient = (
  config: Config,
  times: ServerTimes,
  onTrouble: OnTrouble,
): OpenClient =>
  openClient(config, times, {
    name: 'obsidian',
    command: commandOf(config, 'obsidianServer'),
    open: () => openObsidianToolset(config, { isIndexed: false }),
    onTrouble,
  })

export function commandOf(config: Config, setting: 'gmailServer' | 'obsidianServer') {
  const command = config.text(setting)
  return command === undefined ? undefined : commandWords(command, settings[setting].env)
}

interface Server<Context> {
  name: 'gmail' | 'obsidian'
  command: string[] | undefined
  open: () => OpenToolset<Context>
  onTrouble: OnTrouble
}

function openClient<Context>(
  config: Config,
  { timeoutMs, retryMs, sendMs }: ServerTimes,
  { name, command, open, onTrouble }: Server<Context>,
): OpenClient {
  // One of ours that is started by a command must be able to say how a mail went before it is taken for dead.
  const sendSeconds = String(Math.min(sendMs, timeoutMs * 0.8) / 1000)
  const { [settings.llmApiKey.env]: _, ...env } = config
    .with({ [settings.sendTimeoutSeconds.env]: sendSeconds })
    .environment()
  const toolset = command ? undefined : open()
  const client = new McpClient({
    name,
    start: () =>
      toolset ? ownServer(toolset) : new ServerProcess({ command: command ?? [], env }),
    timeoutMs,
    coolDownMs: retryMs,
    secrets: config.secrets(),
    onTrouble,
  })
  const close = async () => {
    await client.close()
    await toolset?.close()
  }
  return { client, close }
}
