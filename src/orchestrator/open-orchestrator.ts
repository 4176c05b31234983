/** Puts the orchestrator together as the settings say: its servers, who decides, and the ways out. */
import type { Config } from '../config.ts'
import { checkSendSettings, ledgerDatabase, openLedger } from '../email/correspondence.ts'
import { readableProvider } from '../email/mail-provider.ts'
import { checkRecipients } from '../email/outgoing/limits.ts'
import { tellOfUnknown } from '../email/outgoing/outcome.ts'
import type { SendLedger } from '../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../errors.ts'
import type { OpenToolset } from '../mcp/server.ts'
import { openGmailToolset } from '../mcp/toolsets/gmail.ts'
import { openObsidianToolset } from '../mcp/toolsets/obsidian.ts'
import { destinationOf } from '../notices/destination.ts'
import { tellPerson } from '../notices/tell-person.ts'
import { settings } from '../settings.ts'
import { identityOf } from '../store/identity.ts'
import { systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import type { Vault } from '../vault/vault.ts'
import { Approvals } from './approval/approvals.ts'
import type { Teller } from './events.ts'
import { Orchestrator } from './orchestrator.ts'
import { Filing } from './outbox/filing.ts'
import { HandOver } from './outbox/hand-over.ts'
import { OtherServer } from './outbox/other-server.ts'
import { Outbox, type OutboxOptions } from './outbox/outbox.ts'
import { OwnMail, SentMails, type WayOut } from './outbox/way-out.ts'
import { DraftSends, isLedger } from './sends.ts'
import { commandWords } from './servers/command-words.ts'
import { logTrouble } from './servers/fallback-log.ts'
import { MailClient } from './servers/mail-client.ts'
import { McpClient } from './servers/mcp-client.ts'
import { ownServer } from './servers/mcp-connection.ts'
import { ServerProcess } from './servers/server-process.ts'
import { VaultNotes } from './servers/vault-notes.ts'
import { State } from './state.ts'
import { openTriager } from './triage/open-triager.ts'

export interface Opened {
  orchestrator: Orchestrator
  /** Who decides about mail. */
  triager: string
  /** Waits for no server any more. */
  hurry(): void
  close(): Promise<void>
}

/** What is to be closed in the end: servers may still be at something that the ledger has to hear of. */
class Closing {
  readonly servers: (() => Promise<unknown>)[] = []
  readonly services: (() => Promise<unknown>)[] = []
  readonly ledgers: (() => Promise<unknown>)[] = []
  #closed: Promise<void> | undefined

  hurry(): void {
    void allSettled(this.servers)
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (const some of [this.servers, this.services, this.ledgers]) await allSettled(some)
    })()
    return this.#closed
  }
}

/** One that cannot be closed keeps no other open. */
async function allSettled(some: (() => Promise<unknown>)[]): Promise<void> {
  const ends = await Promise.allSettled(some.map(async (one) => one()))
  for (const end of ends) {
    if (end.status === 'rejected')
      log(`closing: ${end.reason instanceof Error ? end.reason.message : end.reason}`)
  }
}

export async function openOrchestrator(
  config: Config,
  vault: Vault,
  teller: Teller,
): Promise<Opened> {
  const times = timesOf(config)
  const own = ownConfig(config, vault)
  const state = State.load(vault)
  const closing = new Closing()
  // Of what they do for us, we tell the person ourselves.
  const untold = own.with({ [settings.notify.env]: undefined })
  const clients = openClients(untold, vault, teller, closing)
  const notes = new VaultNotes(clients.obsidian, vault)
  const mail = new MailClient(clients.gmail)
  const triager = await openTriager(config, () => notes.find('Rules.md'))
  const shared = { vault, notes, mail, state, teller, clock: systemClock, ...times }
  return {
    orchestrator: new Orchestrator({
      ...shared,
      triager,
      tellOfDraft: (subject, key) =>
        tellPerson(config, {
          kind: 'draft',
          from: 'orchestrator',
          subject,
          key: JSON.stringify(['draft', state.vaultId, key]),
        }),
      openOutbox: (isEnding) => openOutbox(own, { ...shared, isEnding }, closing),
      query: config.text('inboxQuery') ?? '',
    }),
    triager: triager.name,
    hurry: () => closing.hurry(),
    close: () => closing.close(),
  }
}

type Shared = Pick<
  OutboxOptions,
  'vault' | 'notes' | 'teller' | 'clock' | 'quietMs' | 'retryMs' | 'isEnding'
> & { mail: MailClient; state: State }

async function openOutbox(config: Config, shared: Shared, closing: Closing): Promise<Outbox> {
  const { vault, mail, state } = shared
  const ledger = await openPatientLedger(config)
  try {
    const identity = await identityOf(ledger.reader)
    const { path } = await ledgerDatabase(config)
    const isOther = state.ledgerId !== undefined && !isLedger(identity, state.ledgerId)
    state.rememberLedger(identity?.database_id ?? '', path, isOther)
    const sends = await DraftSends.open(ledger, state.vaultId, (record) =>
      tellOfUnknown(config, record),
    )
    const sentMails = new SentMails(mail, (id) => sends.hasSent(id))
    const outbox = new Outbox({
      ...shared,
      ledgerSinceMs: state.ledgerSinceMs,
      sends,
      sentMails,
      approvals: new Approvals(vault),
      wayOut: openWayOut(config, { vault, mail, ledger, sentMails }, closing),
      handOver: new HandOver(config, state, ledger),
      filing: new Filing({ ...shared, sends }),
    })
    closing.ledgers.push(() => ledger.close())
    return outbox
  } catch (error) {
    await ledger.close()
    throw error
  }
}

/** A mail is under way for as long as a server may take, ours or another. */
function openPatientLedger(config: Config): Promise<SendLedger> {
  const { timeoutMs, sendMs } = timesOf(config)
  const seconds = String(Math.max(timeoutMs, sendMs) / 1000)
  return openLedger(config.with({ [settings.sendTimeoutSeconds.env]: seconds }))
}

function openWayOut(
  config: Config,
  parts: { vault: Vault; mail: MailClient; ledger: SendLedger; sentMails: SentMails },
  closing: Closing,
): WayOut {
  const command = config.text('gmailServer')
  if (command === undefined) {
    const own = new OwnMail(config, parts.vault, parts.ledger)
    closing.services.push(() => own.close())
    return own
  }
  return new OtherServer({
    ...parts,
    command,
    server: parts.mail,
    checkRecipients: (addresses) => checkRecipients(config, addresses),
  })
}

/** What is sent here was approved already. */
const ownConfig = (config: Config, vault: Vault): Config =>
  config.with({ [settings.sendPolicy.env]: 'direct', [settings.vault.env]: vault.root })

/** Whatever can be known to be wrong before anything is started. */
export async function checkSettings(config: Config): Promise<void> {
  timesOf(config)
  checkSendSettings(config)
  destinationOf(config)
  commandOf(config, 'obsidianServer')
  if (!commandOf(config, 'gmailServer')) readableProvider(config)
  await openTriager(config, async () => undefined)
  await ledgerDatabase(config).catch((error) => {
    if (AgentMailError.is(error, 'server_config')) throw error // whatever else is wrong with it may pass
  })
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

/** Our own toolsets in this process, or the servers that the settings name. */
function openClients(
  config: Config,
  vault: Vault,
  teller: Teller,
  closing: Closing,
): { gmail: McpClient; obsidian: McpClient } {
  const { timeoutMs, retryMs, sendMs } = timesOf(config)
  // One of ours that is started by a command must be able to say how a mail went before it is taken for dead.
  const sendSeconds = String(Math.min(sendMs, timeoutMs * 0.8) / 1000)
  const { [settings.llmApiKey.env]: _, ...env } = config
    .with({ [settings.sendTimeoutSeconds.env]: sendSeconds })
    .environment()
  const clientOf = <Context>(
    name: 'gmail' | 'obsidian',
    command: string[] | undefined,
    open: () => OpenToolset<Context>,
  ) => {
    const toolset = command ? undefined : open()
    const client = new McpClient({
      name,
      start: () =>
        toolset ? ownServer(toolset) : new ServerProcess({ command: command ?? [], env }),
      timeoutMs,
      coolDownMs: retryMs,
      secrets: config.secrets(),
      onTrouble: (event, trouble) => {
        const { server, tool, message } = trouble
        logTrouble(vault, event, trouble)
        const how = event === 'mcp_escalation' ? 'waits' : 'was done without it'
        const text = `the ${server} server did not do ${tool}, which ${how}: ${message}`
        teller.tell('trouble', text, { server, tool })
      },
    })
    closing.servers.push(async () => {
      await client.close()
      await toolset?.close()
    })
    return client
  }
  return {
    gmail: clientOf('gmail', commandOf(config, 'gmailServer'), () => openGmailToolset(config)),
    obsidian: clientOf('obsidian', commandOf(config, 'obsidianServer'), () =>
      openObsidianToolset(config, { isIndexed: false }),
    ),
  }
}

function commandOf(config: Config, setting: 'gmailServer' | 'obsidianServer') {
  const command = config.text(setting)
  return command === undefined ? undefined : commandWords(command, settings[setting].env)
}
