/** Runs the orchestrator until it is done or told to end, and tells what it does. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { systemClock } from '../system/clock.ts'
import { log } from '../system/log.ts'
import { appendLine } from '../vault/log-file.ts'
import { removeLeftover } from '../vault/note-change.ts'
import { Vault, workFolders } from '../vault/vault.ts'
import { vaultError } from '../vault/vault-error.ts'
import type { DigestTime } from './digest/digest-time.ts'
import { counted, type Event, Teller } from './events.ts'
import { checkSettings, type Opened, openOrchestrator } from './open-orchestrator.ts'
import type { Orchestrator } from './orchestrator.ts'
import { lockVault } from './vault-lock.ts'

interface RunOptions {
  isOnce: boolean
  /** When the person is sent a digest; never without. */
  digestAt?: DigestTime | undefined
  /** Is told every event, to show it. */
  onEvent: (event: Event) => void
  /** Ends it in order. */
  signal?: AbortSignal
}

/** One that runs once leaves a vault to another that is at work there, after this long. */
const patienceMs = 10_000
/** What is under way when it is told to end has this long. */
const endMs = 5000

/** Gives the exit code: 0 when everything is done, 1 when work waits. */
export async function runOrchestrator(config: Config, options: RunOptions): Promise<number> {
  const vault = Vault.named(config)
  await checkSettings(config, options.digestAt)
  const teller = new Teller(systemClock, (event) => {
    keep(vault, event)
    options.onEvent(event)
  })
  let opened: Opened | undefined
  let hurry: NodeJS.Timeout | undefined
  let isEnding = false
  const end = () => {
    isEnding = true
    opened?.orchestrator.stop()
    // A server that hangs is not waited for.
    hurry = setTimeout(() => opened?.hurry(), endMs)
  }
  const summarize = () => void (opened && tellSummary(teller, opened.orchestrator))
  options.signal?.addEventListener('abort', end)
  process.on('SIGUSR1', summarize)
  let letGo: (() => void) | undefined
  try {
    letGo = await takeTurn(vault, teller, options.isOnce, () => isEnding)
    if (!letGo) return options.isOnce ? 1 : 0
    removeLeftovers(vault)
    opened = await openOrchestrator(config, vault, teller, options.digestAt)
    const { orchestrator, triager } = opened
    if (isEnding) orchestrator.stop()
    const text = `at work on ${vault.root}, mail is decided about by ${triager}`
    teller.tell('started', text, { vault: vault.root, triager })
    const waiting = options.isOnce ? await orchestrator.once() : await orchestrator.run()
    await tellSummary(teller, orchestrator, waiting)
    return options.isOnce && (waiting > 0 || isEnding) ? 1 : 0
  } finally {
    process.off('SIGUSR1', summarize)
    options.signal?.removeEventListener('abort', end)
    await opened?.close()
    clearTimeout(hurry)
    letGo?.()
  }
}

/** Two at once would decide and send the same twice. */
async function takeTurn(
  vault: Vault,
  teller: Teller,
  isOnce: boolean,
  isEnding: () => boolean,
): Promise<(() => void) | undefined> {
  const began = performance.now()
  return lockVault(vault, () => {
    const text = isOnce
      ? 'another orchestrator is at work on this vault'
      : 'another orchestrator is at work on this vault: this one takes over when that ends'
    teller.tellOnce('turn', 'waiting', text)
    return isEnding() || (isOnce && performance.now() - began > patienceMs)
  })
}

/** @param waiting how much it could not do, where that is known. */
async function tellSummary(
  teller: Teller,
  orchestrator: Orchestrator,
  waiting?: number,
): Promise<void> {
  const done = teller.summary()
  const person = await orchestrator.forPerson().catch(() => ({ drafts: 0, mails: 0 }))
  const forYou = [
    ...(person.drafts > 0 ? [counted(person.drafts, 'draft')] : []),
    ...(person.mails > 0 ? [counted(person.mails, 'mail')] : []),
  ].join(' and ')
  const isOne = person.drafts + person.mails === 1
  const text = [
    `${counted(done.ingested, 'mail')} taken in`,
    `${done.triaged} decided about`,
    `${counted(done.drafted, 'reply', 'replies')} drafted`,
    `${done.sent} sent`,
    ...(done.delegated > 0 ? [`${done.delegated} handed over`] : []),
    ...(waiting ? [`${waiting} could not be done`] : []),
    ...(forYou === '' ? [] : [`${forYou} ${isOne ? 'waits' : 'wait'} for you`]),
  ].join(', ')
  const facts = { ...done, waiting_for_you: person, ...(waiting !== undefined && { waiting }) }
  teller.tell('summary', text, facts)
}

/** The log in the vault, which stops nobody's work. */
function keep(vault: Vault, event: Event): void {
  try {
    const name = `orchestrator_${event.at.slice(0, 10)}.jsonl`
    appendLine(vault, name, JSON.stringify(event), { isForGood: false })
  } catch (error) {
    log(`the log of the orchestrator: ${error instanceof Error ? error.message : error}`)
  }
}

/** Clears away what a run that was killed while it wrote has left; what cannot be is in nobody's way. */
function removeLeftovers(vault: Vault): void {
  for (const name of workFolders) {
    try {
      const found = vault.enter([name])
      try {
        for (const entry of found?.folder.entries() ?? []) {
          if (found) removeLeftover(found.folder, entry.name)
        }
      } finally {
        found?.folder.close()
      }
    } catch (error) {
      if (!AgentMailError.is(vaultError(name, error))) throw error
    }
  }
}
