/** What the subcommands of `agentmail mail` do and print. */
import { Config } from '../../../config.ts'
import { sendingAgent } from '../../../connection/sending-agent.ts'
import { Correspondence, logsOf, openLedger } from '../../../email/correspondence.ts'
import {
  chosenService,
  loginAdvice,
  openProvider,
  providerName,
} from '../../../email/mail-provider.ts'
import { readAudit } from '../../../email/outgoing/audit.ts'
import { mailLog } from '../../../email/outgoing/mail-log.ts'
import { bodyOf } from '../../../email/outgoing/mail-request.ts'
import type { Drafted, Sent } from '../../../email/outgoing/outgoing.ts'
import { settleSend } from '../../../email/outgoing/settle-send.ts'
import { getEmail, listEmails } from '../../../email/reading.ts'
import { AgentMailError, isUnclear } from '../../../errors.ts'
import { type Call, flagText } from '../../command.ts'
import { print, printError, printFailure, printJson, printTable } from '../../output.ts'
import { pipedText } from '../../piped-text.ts'
import { atMost, countOf, type Subcommand } from '../../subcommands.ts'
import { cutAt, line, localTime, plain } from '../../table.ts'
import { login } from './login.ts'
import { dropSamples } from './sample.ts'
import { logout, status } from './status.ts'

export const mailCommands: Record<string, Subcommand> = {
  login: { run: login, options: ['imap', 'smtp', 'user'] },
  logout: { run: logout },
  status: { run: status },
  list: { run: printMails, options: ['limit', 'page'] },
  show: { run: printMail },
  send: {
    run: sendMail,
    options: ['to', 'cc', 'bcc', 'from', 'subject', 'body', 'reply-to', 'key'],
  },
  log: { run: printLog, options: ['limit'] },
  settle: { run: settle },
  sample: { run: dropSamples },
}

const maxBodyBytes = 10 << 20
const maxListed = 500
/** Exit code of a mail that may have been sent: not that of a refusal, which may be tried again. */
const unknownOutcome = 3

async function printMails({ flags, positionals, json }: Call): Promise<number> {
  const query = positionals.join(' ') || 'is:unread'
  const max_results = Math.min(countOf('limit', flags.limit) ?? 10, maxListed)
  const page_token = flagText(flags.page)
  const found = await withMail(flags, async (mail) =>
    listEmails(await mail.inbox(), { query, max_results, page_token }),
  )
  if (json) printJson(found)
  else if (found.emails.length === 0) print('No mail found')
  else {
    const rows = found.emails.map(({ id, date, sender, subject }) => [
      id,
      shownTime(date),
      sender,
      cutAt(line(subject), 200),
    ])
    printTable(['ID', 'DATE', 'FROM', 'SUBJECT'], rows)
    if (found.next_page_token !== undefined) {
      print(`\nThere is more: --page ${line(found.next_page_token)}`)
    }
  }
  return 0
}

async function printMail({ flags, positionals, json }: Call): Promise<number> {
  const [id] = atMost(1, positionals)
  if (id === undefined) throw missing('which mail?', 'Write agentmail mail show <id>.')
  const mail = await withMail(flags, async (mail) => getEmail(await mail.inbox(), id))
  if (json) printJson(mail)
  else {
    print(
      `From:    ${line(mail.sender)}\nTo:      ${line(mail.to)}\nDate:    ${shownTime(mail.date)}`,
    )
    print(`Subject: ${line(mail.subject)}`)
    if (mail.has_attachments) print(`Files:   ${mail.attachment_names.map(line).join(', ')}`)
    print(`\n${plain(mail.body)}`)
  }
  return 0
}

async function sendMail({ flags, positionals, json }: Call): Promise<number> {
  const to = flagText(flags.to)
  if (to === undefined) {
    throw missing(
      'who gets the mail?',
      'Write agentmail mail send --to <address> --subject <text>.',
    )
  }
  const body = flagText(flags.body) ?? (await pipedText(false, maxBodyBytes))
  if (body === undefined) {
    throw missing('what does the mail say?', 'Give --body, or pipe the text to the command.')
  }
  const sending = withMail(flags, (mail) =>
    mail.send({
      from: flagText(flags.from),
      to,
      cc: flagText(flags.cc),
      bcc: flagText(flags.bcc),
      subject: flagText(flags.subject) ?? '',
      ...bodyOf(body),
      attachments: positionals.map((path) => ({ path })),
      reply_to_message_id: flagText(flags['reply-to']),
      idempotency_key: flagText(flags.key),
    }),
  )
  let result: Sent | Drafted
  try {
    result = await sending
  } catch (error) {
    if (!isUnclear(error)) throw error
    printFailure(error, json)
    if (json) printJson({ status: 'unknown', id: error.details?.id ?? null })
    return unknownOutcome
  }
  if (json) printJson(result.status === 'sent' ? result.receipt : result)
  else if (result.status === 'sent') print(sentLine(to, result.receipt.message_id))
  else print(`Not sent yet: it waits for approval in ${line(result.draft)}`)
  return 0
}

async function printLog({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  const limit = countOf('limit', flags.limit) ?? 20
  const ledger = await openLedger(config)
  try {
    const mails = mailLog(await ledger.list(limit), await auditIfThere(config), limit)
    if (json) printJson({ mails })
    else if (mails.length === 0) print('No mail was sent yet')
    else {
      // Where agents send, whose mail it is says more than the rest.
      const hasAgents = mails.some(({ agent }) => agent !== null)
      const rows = mails.map((mail) => [
        mail.id ?? '-',
        shownTime(mail.at),
        mail.state,
        ...(hasAgents ? [mail.agent ?? ''] : []),
        mail.to,
        mail.subject,
        mail.draft ?? mail.reason ?? '',
      ])
      const agent = hasAgents ? ['AGENT'] : []
      printTable(['ID', 'TIME', 'STATE', ...agent, 'TO', 'SUBJECT', 'REMARK'], rows)
    }
    return 0
  } finally {
    await ledger.close()
  }
}

async function settle({ flags, positionals, json }: Call): Promise<number> {
  const [id, outcome] = atMost(2, positionals)
  if (id === undefined) {
    throw missing(
      'which mail?',
      'Write agentmail mail settle <id> [sent|not-sent]; mail log shows the ids.',
    )
  }
  if (outcome !== undefined && outcome !== 'sent' && outcome !== 'not-sent') {
    throw new AgentMailError(
      'invalid_request',
      `unknown outcome: ${outcome}`,
      'Write sent or not-sent, or leave it out to ask the mail service.',
    )
  }
  const entry = await settleSend(new Config(flags), id, outcome)
  if (json) printJson(entry)
  else
    print(
      `Mail ${entry.id} to ${line(entry.to.join(', '))} is settled: ${entry.state === 'sent' ? 'sent' : 'not sent'}`,
    )
  return 0
}

async function withMail<T>(
  flags: Call['flags'],
  work: (mail: Correspondence) => Promise<T>,
): Promise<T> {
  const config = new Config(flags)
  const mail = new Correspondence(config, () => openProvider(config, providerName(config)), {
    asker: sendingAgent(config),
  })
  try {
    return await work(mail)
  } catch (error) {
    const isNoneSetUp = !config.isSet('gmailAccount') && chosenService(config).by === undefined
    if (!AgentMailError.is(error, 'auth_required') || !isNoneSetUp) throw error
    throw new AgentMailError(error.code, error.message, loginAdvice)
  } finally {
    // What was sent stays sent, whatever goes wrong now.
    await mail.close().catch((error) => printError(`The ledger was not closed: ${error}`))
  }
}

/** The ledger tells most of it, also where the vault is gone. */
async function auditIfThere(config: Config) {
  try {
    return await readAudit(logsOf(config))
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    printError(`The audit cannot be read: ${error.message}`)
    return []
  }
}

/** Mail may carry no date that can be understood. */
const shownTime = (date: string): string => (Number.isNaN(Date.parse(date)) ? '' : localTime(date))

/** A person who settled a mail as sent may not have known its id. */
const sentLine = (to: string, id: string): string =>
  `Sent to ${line(to)}${id === '' ? '' : `, message ${line(id)}`}`

const missing = (message: string, next: string) =>
  new AgentMailError('missing_arguments', message, next)
