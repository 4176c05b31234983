/** Puts the orchestrator together as the settings say: its servers, who decides, and the ways out. */
import type { Config } from '../config.ts'
import { mailTakersHere } from '../connection/registered.ts'
import {
  Correspondence,
  checkSendSettings,
  ledgerDatabase,
  openLedger,
} from '../email/correspondence.ts'
import { openProvider, readableProvider } from '../email/mail-provider.ts'
import { checkRecipients } from '../email/outgoing/limits.ts'
import { tellOfUnknown } from '../email/outgoing/outcome.ts'
import { ReplyAddress } from '../email/outgoing/reply-address.ts'
import type { SendLedger } from '../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../errors.ts'
import { destinationOf } from '../notices/destination.ts'
import { tellPerson } from '../notices/tell-person.ts'
import { learnKeptPassword } from '../providers/imap/login/kept-login.ts'
import { settings } from '../settings.ts'
import { identityOf } from '../store/identity.ts'
import { systemClock } from '../system/clock.ts'
import type { Vault } from '../vault/vault.ts'
import { Approvals } from './approval/approvals.ts'
import { Closing } from './closing.ts'
import type { DigestTime } from './digest/digest-time.ts'
import { checkDigest, openDigest } from './digest/open-digest.ts'
import type { Teller } from './events.ts'
import { Answers } from './inbox/answers.ts'
import { type OpenedOutbox, Orchestrator, type OrchestratorParts } from './orchestrator.ts'
import { Filing } from './outbox/filing.ts'
import { HandOver } from './outbox/hand-over.ts'
import { OtherServer } from './outbox/other-server.ts'
import { Outbox, type OutboxOptions } from './outbox/outbox.ts'
import { ReplyOffers } from './outbox/reply-offers.ts'
import { OwnMail, SentMails, type WayOut } from './outbox/way-out.ts'
import { rulesName } from './rules/init-mail-vault.ts'
import { rulePlaces } from './rules/rule-places.ts'
import { DraftSends, isLedger } from './sends.ts'
import { logTrouble } from './servers/fallback-log.ts'
import { MailClient } from './servers/mail-client.ts'
import type { McpClient } from './servers/mcp-client.ts'
import {
  commandOf,
  type OnTrouble,
  openGmailClient,
  openObsidianClient,
} from './servers/open-client.ts'
import { VaultNotes } from './servers/vault-notes.ts'
import { SharedLedger } from './shared-ledger.ts'
import { State } from './state.ts'
import { Delegates } from './triage/delegates.ts'
import { openTriager } from './triage/open-triager.ts'

export interface Opened {
  orchestrator: Orchestrator
  /** Who decides about mail. */
  triager: string
  /** Waits for no server any more. */
  hurry(): void
  close(): Promise<void>
}

export async function openOrchestrator(
  config: Config,
  vault: Vault,
  teller: Teller,
  digestAt?: DigestTime,
): Promise<Opened> {
  const times = timesOf(config)
  const own = ownConfig(config, vault)
  const state = State.load(vault)
  const closing = new Closing()
  // Of what they do for us, we tell the person ourselves.
  const untold = own.with({ [settings.notify.env]: undefined })
  const mailbox = config.text('gmailServer') === undefined ? openMailbox(untold) : undefined
  const clients = openClients(untold, vault, teller, closing, mailbox)
  const notes = new VaultNotes(clients.obsidian, vault)
  const mail = new MailClient(clients.gmail)
  const delegates = new Delegates(() => mailTakersHere(config), systemClock)
  const triager = await openTriager(config, () => notes.find(rulesName), {
    places: () => rulePlaces(vault),
    delegates,
  })
  const ledger = new SharedLedger(() => openPatientLedger(own))
  closing.ledgers.push(() => ledger.close())
  const answers =
    mailbox &&
    new Answers({
      ledger: () => ledger.get(),
      provider: () => mailbox.provider(),
      replyAddress: ReplyAddress.of(config),
    })
  const handOver = async () => new HandOver(own, state, await ledger.get(), answers)
  const shared = { vault, notes, mail, state, teller, clock: systemClock, handOver, ...times }
  const isOffering = config.choice('replies', ['person', 'agent']) === 'agent'
  return {
    orchestrator: new Orchestrator({
      ...shared,
      triager,
      delegates,
      tellOfDraft: (subject, key) =>
        tellPerson(config, {
          kind: 'draft',
          from: 'orchestrator',
          subject,
          key: JSON.stringify(['draft', state.vaultId, key]),
        }),
      answers,
      offers: isOffering && answers ? new ReplyOffers({ ...shared, answers }) : undefined,
      watchMail: mailWatch(own),
      openOutbox: (isEnding) => openOutbox(own, { ...shared, isEnding, ledger, digestAt }, closing),
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
> & {
  mail: MailClient
  state: State
  handOver: () => Promise<HandOver>
  ledger: SharedLedger<SendLedger>
  digestAt: DigestTime | undefined
}

async function openOutbox(config: Config, shared: Shared, closing: Closing): Promise<OpenedOutbox> {
  const { vault, mail, state, digestAt } = shared
  const ledger = await shared.ledger.get()
  try {
    const identity = await identityOf(ledger.reader)
    const { path } = await ledgerDatabase(config)
    const isOther = state.ledgerId !== undefined && !isLedger(identity, state.ledgerId)
    state.rememberLedger(identity?.database_id ?? '', path, isOther)
    const sends = await DraftSends.open(ledger, state.vaultId, (record) =>
      tellOfUnknown(config, record),
    )
    const sentMails = new SentMails(mail, (id) => sends.hasSent(id))
    const wayOut = openWayOut(config, { vault, mail, ledger, sentMails }, closing)
    const outbox = new Outbox({
      ...shared,
      ledgerSinceMs: state.ledgerSinceMs,
      sends,
      sentMails,
      approvals: new Approvals(vault),
      wayOut,
      handOver: await shared.handOver(),
      filing: new Filing({ ...shared, sends }),
    })
    const parts = { ...shared, ledger, wayOut }
    const digest = digestAt === undefined ? undefined : openDigest(config, digestAt, parts)
    return { outbox, digest }
  } catch (error) {
    await shared.ledger.close()
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

/** Another server than our own tells of nothing. */
function mailWatch(config: Config): OrchestratorParts['watchMail'] {
  if (config.text('gmailServer') !== undefined) return undefined
  return async (onNews, signal) => {
    const provider = await openProvider(config, readableProvider(config))
    try {
      await provider.inbox?.watch?.(onNews, signal)
    } finally {
      await provider.close?.()
    }
  }
}

/** What is sent here was approved already. */
const ownConfig = (config: Config, vault: Vault): Config =>
  config.with({ [settings.sendPolicy.env]: 'direct', [settings.vault.env]: vault.root })

/** Whatever can be known to be wrong before anything is started. */
export async function checkSettings(config: Config, digestAt?: DigestTime): Promise<void> {
  timesOf(config)
  checkSendSettings(config)
  checkReplies(config)
  destinationOf(config)
  commandOf(config, 'obsidianServer')
  learnKeptPassword(config)
  if (!commandOf(config, 'gmailServer')) readableProvider(config)
  await openTriager(config, async () => undefined)
  if (digestAt !== undefined) await checkDigest(config)
  await ledgerDatabase(config).catch((error) => {
    if (AgentMailError.is(error, 'server_config')) throw error // whatever else is wrong with it may pass
  })
}

/** One that is misspelled must not mean that agents are given mail, or that they wait for it. */
function checkReplies(config: Config): void {
  try {
    config.choice('replies', ['person', 'agent'])
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new AgentMailError('server_config', error.message, error.next)
  }
}

/** A setting that is wrong is one of the configuration, whichever it is. */
export function timesOf(config: Config) {
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

/** Through which mail is read, by the tools and by whoever looks up what it answers. */
function openMailbox(config: Config): Correspondence {
  const name = readableProvider(config)
  return new Correspondence(config, () => openProvider(config, name))
}

/** Our own toolsets in this process, or the servers that the settings name. */
function openClients(
  config: Config,
  vault: Vault,
  teller: Teller,
  closing: Closing,
  mailbox: Correspondence | undefined,
): { gmail: McpClient; obsidian: McpClient } {
  const onTrouble: OnTrouble = (event, trouble) => {
    const { server, tool, message } = trouble
    logTrouble(vault, event, trouble)
    const how = event === 'mcp_escalation' ? 'waits' : 'was done without it'
    const text = `the ${server} server did not do ${tool}, which ${how}: ${message}`
    teller.tell('trouble', text, { server, tool })
  }
  const times = timesOf(config)
  const [gmail, obsidian] = [
    openGmailClient(config, times, onTrouble, mailbox),
    openObsidianClient(config, times, onTrouble),
  ]
  closing.servers.push(gmail.close, obsidian.close)
  return { gmail: gmail.client, obsidian: obsidian.client }
}
