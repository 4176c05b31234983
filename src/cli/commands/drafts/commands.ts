/** What the subcommands of `agentmail drafts` do and print. */
import { takerName } from '../../../addresses/mail-takers.ts'
import { Config } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import { approve } from '../../../orchestrator/approval/approve.ts'
import { checkAgent, withAgent } from '../../../orchestrator/approval/checks.ts'
import type { DraftHead } from '../../../orchestrator/approval/draft-head.ts'
import { listDrafts, showNote, shownDraft } from '../../../orchestrator/approval/drafts.ts'
import { agentMeant, toBeGiven } from '../../../orchestrator/approval/giving.ts'
import { noteAt, type WaitingMail } from '../../../orchestrator/approval/received-mail.ts'
import { type Records, recordsOf } from '../../../orchestrator/approval/records.ts'
import { reject } from '../../../orchestrator/approval/reject.ts'
import { ownUser } from '../../../person/own-user.ts'
import { readNote } from '../../../vault/notes.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Call } from '../../command.ts'
import { print, printError, printJson, printTable } from '../../output.ts'
import { canAsk, isYes } from '../../question.ts'
import { atMost, type Subcommand } from '../../subcommands.ts'
import { cutAt, line } from '../../table.ts'
import { findDraft } from './find-draft.ts'
import { draftWords, goesTo, mailWords, questionWords } from './words.ts'

export const draftCommands: Record<string, Subcommand> = {
  list: { run: printDrafts, options: ['all'] },
  show: { run: printNote },
  approve: { run: approveNote, options: ['agent', 'by', 'version'] },
  reject: { run: rejectNote, options: ['reason', 'by'] },
}

/** More than a person takes in at once; --json has them all. */
const mostMails = 20
const widest = 80

async function printDrafts({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  const records = recordsOf(config, Vault.named(config))
  const { drafts, mails, faults } = await listDrafts(records, flags.all === true)
  for (const { path, message } of faults) {
    printError(line(message.includes(path) ? message : `${path}: ${message}`))
  }
  if (json) printJson({ drafts, mails })
  else if (drafts.length + mails.length === 0) print('Nothing waits for you')
  else {
    if (drafts.length > 0) printDraftTable(drafts)
    if (drafts.length > 0 && mails.length > 0) print('')
    if (mails.length > 0) printMailTable(mails)
  }
  return 0
}

function printDraftTable(drafts: DraftHead[]): void {
  const rows = drafts.map((draft) => [
    draft.path,
    draft.version ?? '-',
    stateOf(draft),
    goesTo(draft),
    cutAt(line(draft.subject), widest),
  ])
  printTable(['NOTE', 'VERSION', 'STATUS', 'TO', 'SUBJECT'], rows)
  print(
    '\nagentmail drafts show <note> prints one, agentmail drafts approve <note> --version <version> lets it go.',
  )
}

function printMailTable(mails: WaitingMail[]): void {
  const rows = mails
    .slice(0, mostMails)
    .map(({ path, status, from, subject, reason }) => [
      path,
      status,
      from,
      subject,
      cutAt(line(reason ?? ''), widest),
    ])
  const more = mails.length - rows.length
  printTable(['MAIL', 'STATUS', 'FROM', 'SUBJECT', 'REASON'], rows)
  if (more > 0) print(`and ${more} more`)
  print('\nagentmail drafts approve <mail> --agent <name> gives one to an agent.')
}

async function printNote(call: Call): Promise<number> {
  const { config, records, path } = await meant(call, 'show')
  const shown = await showNote(records, path)
  if (call.json) printJson(shown)
  else print(shown.kind === 'received' ? mailWords(shown) : draftWords(shown, config))
  return 0
}

async function approveNote(call: Call): Promise<number> {
  const { records, path, config } = await meant(call, 'approve')
  const agent = await agentOf(call, records.vault, path)
  const seen = call.flags.version ?? (await seenNow(call, { records, path, config, agent }))
  if (seen === undefined) {
    printError('Not approved.')
    return 1
  }
  const { asked, ...approved } = await approve(records, path, {
    by: whoOf(call.flags.by),
    version: String(seen),
    agent,
    config,
  })
  if (call.json) printJson(approved)
  else {
    const [to, subject] =
      asked.kind === 'mail'
        ? [asked.request.to, asked.request.subject]
        : [`@${asked.agent}`, asked.subject]
    const lines = [
      `${approved.already ? 'Approved already' : 'Approved'}: ${line(approved.path)}`,
      `  to ${line(to)}: ${line(subject)}`,
      `  by ${line(approved.approved_by)}, version ${approved.version}`,
      'agentmail orchestrate sends it, unless it is changed.',
    ]
    // At once: who reads only the first line closes the pipe, and what is done would look failed.
    print(lines.join('\n'))
  }
  return 0
}

async function agentOf({ flags }: Call, vault: Vault, path: string): Promise<string | undefined> {
  if (typeof flags.agent !== 'string') return undefined
  const note = await noteAt(vault, path)
  // Where it is gone it may have been approved before, for this agent.
  return note ? agentMeant(new Config(flags), note, flags.agent) : takerName(flags.agent)
}

interface ToSee {
  records: Records
  path: string
  config: Config
  agent: string | undefined
}

/** Shows all that would leave, and asks. Gives the hash of exactly that; nothing where the answer is no. */
async function seenNow(call: Call, { records, path, config, agent }: ToSee) {
  const read = await readNote(records.vault, path)
  const note = agent === undefined ? read : toBeGiven(read)
  const draft = await shownDraft(records, note)
  if (call.json || !canAsk()) {
    throw new AgentMailError(
      'missing_arguments',
      'which version of it have you seen? Without a terminal to show it on, and with --json, give --version',
      `agentmail drafts show ${note.path.includes('/') ? note.path : `./${note.path}`} prints it.`,
    )
  }
  checkAgent(agent === undefined ? note : withAgent(note, agent))
  print(questionWords(draft, config, agent))
  const { sha256, problem } = draft
  if (sha256 === null) throw new AgentMailError('invalid_request', `${path}: ${problem}`)
  return (await isYes('Approve exactly this? [y/N] ')) ? sha256 : undefined
}

async function rejectNote(call: Call): Promise<number> {
  const { records, path } = await meant(call, 'reject')
  const { reason } = call.flags
  const rejected = await reject(records, path, {
    by: whoOf(call.flags.by),
    reason: typeof reason === 'string' && reason.trim() !== '' ? reason : undefined,
  })
  if (call.json) printJson(rejected)
  else {
    const { path, status, mail } = rejected
    const waits = mail === path ? 'It waits there' : `The mail waits in ${mail} [needs_info]`
    const next = `${line(waits)}; set its status to pending to have it decided about anew.`
    print([`Rejected: ${line(path)} [${status}]`, ...(mail === null ? [] : [next])].join('\n'))
  }
  return 0
}

async function meant(
  { flags, positionals }: Call,
  verb: string,
): Promise<{ config: Config; records: Records; path: string }> {
  const config = new Config(flags)
  const vault = Vault.named(config)
  const [given] = atMost(1, positionals)
  if (given === undefined || given === '') {
    throw new AgentMailError(
      'missing_arguments',
      'which note?',
      `Write agentmail drafts ${verb} <note>; agentmail drafts shows which there are.`,
    )
  }
  const path = await findDraft(vault, config.text('vault') ?? vault.root, given)
  return { config, records: recordsOf(config, vault), path }
}

function whoOf(flag: string | boolean | undefined): string {
  return typeof flag === 'string' ? flag : ownUser()
}

function stateOf({ status, standing, sent_at }: DraftHead): string {
  if (sent_at !== null) return 'sent already'
  return standing !== null && (status === null || status === 'pending_approval')
    ? standing
    : (status ?? '-')
}
