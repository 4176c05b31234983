/** Puts the orchestrator together as the settings say: its servers, who decides, and the ways out. */

import type { Config } from '../config.ts'
import { Correspondence, checkSendSettings } from '../email/correspondence.ts'
import { openProvider, readableProvider } from '../email/mail-provider.ts'
import { checkRecipients } from '../email/outgoing/recipients.ts'
import { AgentMailError } from '../errors.ts'
import type { ProviderName } from '../providers/provider.ts'
import { settings } from '../settings.ts'
import { systemClock } from '../system/clock.ts'
import type { Vault } from '../vault/vault.ts'
import { Approvals } from './approval/approvals.ts'
import type { Teller } from './events.ts'
import { Orchestrator } from './orchestrator.ts'
import { Delivery, type SendDirectly } from './outbox/delivery.ts'
import { Filing } from './outbox/filing.ts'
import { postToAgent } from './post-to-agent.ts'
import { commandWords } from './servers/command-words.ts'
import { FallbackLog } from './servers/fallback-log.ts'
import { MailServer } from './servers/mail-server.ts'
import { McpClient } from './servers/mcp-client.ts'
import { VaultNotes } from './servers/vault-notes.ts'
import { State } from './state.ts'
import { openTriager } from './triage/open-triager.ts'

export interface Opened {
  orchestrator: Orchestrator
  /** Who decides about mail. */
  triager: string
  close(): Promise<void>
}

export async function openOrchestrator(
  config: Config,
  vault: Vault,
  teller: Teller,
): Promise<Opened> {
  const times = timesOf(config)
  const own = config.with({ [settings.sendPolicy.env]: 'direct', [settings.vault.env]: vault.root })
  const [gmail, obsidian] = clients(own, vault, teller)
  const notes = new VaultNotes(obsidian, vault)
  const mail = new MailServer(gmail)
  const state = State.load(vault)
  const post = postToAgent(config, state, () => state.save())
  const direct = config.text('gmailServer') === undefined ? directWay(own) : undefined
  const triager = await openTriager(config, () => notes.find('Rules.md'))
  const shared = { vault, notes, mail, state, teller, clock: systemClock }
  return {
    orchestrator: new Orchestrator({
      ...shared,
      ...times,
      triager,
      approvals: new Approvals(vault),
      delivery: new Delivery({
        vault,
        mail,
        sendDirectly: direct?.send,
        isOther: (id) => state.hasSent(id),
        checkRecipients: (addresses) => checkRecipients(config, addresses),
      }),
      filing: new Filing({ ...shared, post }),
      query: config.text('inboxQuery') ?? '',
    }),
    triager: triager.name,
    async close() {
      await Promise.all([gmail.close(), obsidian.close(), direct?.close()])
    },
  }
}

/** Whatever can be known to be wrong before anything is started. */
export async function checkSettings(config: Config): Promise<void> {
  timesOf(config)
  checkSendSettings(config)
  commandOf(config, 'obsidianServer')
  if (!commandOf(config, 'gmailServer')) readableProvider(config)
  await openTriager(config, async () => undefined)
}

/** A setting that is wrong is one of the configuration, whichever it is. */
function timesOf(config: Config) {
  try {
    return {
      pollMs: config.seconds('pollSeconds') * 1000,
      quietMs: config.number('quietSeconds') * 1000,
      retryMs: config.seconds('retrySeconds') * 1000,
      timeoutMs: config.seconds('mcpTimeoutSeconds') * 1000,
      sendMs: config.seconds('sendTimeoutSeconds') * 1000,
    }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', error.message, error.next)
  }
}

function clients(config: Config, vault: Vault, teller: Teller): [McpClient, McpClient] {
  const { timeoutMs, retryMs, sendMs } = timesOf(config)
  // Our own server must be able to say how a mail went before it is taken for dead.
  const sendSeconds = Math.min(sendMs, timeoutMs * 0.8) / 1000
  const { [settings.llmApiKey.env]: _, ...env } = config
    .with({ [settings.sendTimeoutSeconds.env]: String(sendSeconds) })
    .environment()
  const log = new FallbackLog(vault)
  const open = (name: 'gmail' | 'obsidian', setting: 'gmailServer' | 'obsidianServer') =>
    new McpClient({
      name,
      command: commandOf(config, setting) ?? ownServer(name),
      env,
      timeoutMs,
      coolDownMs: retryMs,
      log,
      secrets: config.secrets(),
      onTrouble: ({ server, tool, message, isEscalated }) =>
        teller.tell(
          'trouble',
          isEscalated
            ? `the ${server} server did not do ${tool}, which waits: ${message}`
            : `the ${server} server did not do ${tool}, which was done without it: ${message}`,
          { server, tool },
        ),
    })
  return [open('gmail', 'gmailServer'), open('obsidian', 'obsidianServer')]
}

function commandOf(config: Config, setting: 'gmailServer' | 'obsidianServer') {
  const command = config.text(setting)
  return command === undefined ? undefined : commandWords(command, settings[setting].env)
}

const ownServer = (name: string): string[] => [process.execPath, process.argv[1] ?? '', 'mcp', name]

/** For what the tool has no arguments for: copies, attachments, other services. */
function directWay(config: Config): { send: SendDirectly; close(): Promise<void> } {
  const desks = new Map<string, Correspondence>()
  const deskOf = (provider: ProviderName = readableProvider(config)) => {
    const desk =
      desks.get(provider) ?? new Correspondence(config, () => openProvider(config, provider))
    desks.set(provider, desk)
    return desk
  }
  return {
    async send({ provider, request }, key) {
      const desk = deskOf(provider === 'gmail' || provider === 'local' ? undefined : provider)
      const result = await desk.send({ ...request, idempotency_key: key })
      if (result.status === 'sent') return result.receipt
      throw new AgentMailError('internal', 'an approved draft became a draft again')
    },
    async close() {
      for (const desk of desks.values()) await desk.close()
    },
  }
}
