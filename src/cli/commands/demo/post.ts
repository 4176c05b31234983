/** The e-mail of the day: what came in, what agents propose, what was sent, and one of which nobody knows whether it has left. */
import { join } from 'node:path'
import type { Config } from '../../../config.ts'
import { Correspondence, logsOf, openLedger } from '../../../email/correspondence.ts'
import { openProvider } from '../../../email/mail-provider.ts'
import type { MailRequest } from '../../../email/outgoing/mail-request.ts'
import { Outgoing } from '../../../email/outgoing/outgoing.ts'
import { AgentMailError, unclear } from '../../../errors.ts'
import { approve } from '../../../orchestrator/approval/approve.ts'
import { shownDraft } from '../../../orchestrator/approval/drafts.ts'
import { recordsOf } from '../../../orchestrator/approval/records.ts'
import { systemClock } from '../../../system/clock.ts'
import { byPerson } from '../../../vault/decided.ts'
import { readNote, writeNote } from '../../../vault/notes.ts'
import { Vault } from '../../../vault/vault.ts'
import { mail } from './mails.ts'

/** Beside the three mails of the demo without a page. */
export const pagePost = {
  mails: [
    mail('Olga Petrov <olga@customer.example>', 'I was charged twice', 26, [
      'Hello,',
      '',
      'my card shows order 20417 two times, 59.70 each. Please give one of them back.',
      '',
      'Olga Petrov',
    ]),
    mail('Partner Desk <desk@partner.example>', 'API: is the discount part of an order?', 64, [
      'Hello,',
      '',
      'we import your orders every night. Will the discount of a coupon be a field of its own,',
      'and in which unit?',
      '',
      'Partner Desk',
    ]),
  ],
  rules: `  - subject: charged twice
    decision: urgent
    reason: Money goes before everything else.
    reply: |
      Hello,

      thank you for telling us. We look into the two payments at once, and what was taken
      twice is back on your card within three days.

      Your shop
  - subject: "API:"
    decision: delegate
    delegate_to: api-builder
    reason: A question about the API, which api-builder is at work on.
`,
}

const announcement: MailRequest = {
  to: 'Mara Lind <mara@press.example>',
  subject: 'Coupons in our shop, from this week on',
  text: `Hello Mara,

from this week on our shop takes coupons: one an order, on everything but the shipping.

The first one is SUMMER15, fifteen percent until the end of June. The table has all codes
and how long they are good for. You can write about it at once.

Your shop
`,
  attachments: [
    {
      name: 'coupons.csv',
      contentType: 'text/csv',
      content: Buffer.from(
        'code,kind,amount,valid until\nSUMMER15,percent,15,30 June\nWELCOME5,fixed,5.00,31 December\n',
      ).toString('base64'),
    },
  ],
}

const thanks: MailRequest = {
  to: 'Ben Okafor <ben@customer.example>',
  subject: 'Your order 20388 is on its way',
  text: `Hello Ben,

your two mugs have left us this morning and should be with you on Thursday.

Your shop
`,
}

const invoice: MailRequest = {
  to: 'Accounting <accounting@partner.example>',
  subject: 'Invoice 2044 for May',
  text: `Hello,

the invoice for May: 312 orders, 1,248.00 in all, due in 30 days.

Your shop
`,
}

/** How long ago the mail was given away of which nothing is known since. */
const lostMinutes = 95

export async function fillPost(config: Config, folder: string): Promise<void> {
  const vault = new Vault(join(folder, 'vault'))
  const sent = await propose(config, 'web', thanks)
  const records = recordsOf(config, vault)
  const { version } = await shownDraft(records, await readNote(vault, sent))
  await approve(records, sent, { by: 'you', version: version ?? '' })
  await edit(vault, await propose(config, 'docs', announcement))
  await loseTrack(config, invoice)
  const { runOrchestrator } = await import('../../../orchestrator/run-orchestrator.ts')
  await runOrchestrator(config, { isOnce: true, onEvent: () => {} })
}

/** As a tool does it in the name of an agent, where mail has to be approved. Gives the path of the draft. */
async function propose(config: Config, agent: string, request: MailRequest): Promise<string> {
  const own = config.with({ AGENTMAIL_AGENT: agent, AGENTMAIL_SEND_POLICY: 'approve' })
  const correspondence = new Correspondence(own, () => openProvider(own, 'local'))
  try {
    const outcome = await correspondence.send(request)
    if (outcome.status === 'pending_approval') return outcome.draft
    throw new TypeError('a mail that needs an approval went out without one')
  } finally {
    await correspondence.close()
  }
}

/** A person has changed a line, and left it at that. */
async function edit(vault: Vault, path: string): Promise<void> {
  const { frontmatter, body, etag } = await readNote(vault, path)
  const changed = body.replace(
    'You can write about it at once.',
    'Please keep it to yourself until Thursday.',
  )
  await writeNote(vault, { path, frontmatter, body: changed, if_match: etag }, byPerson)
}

/** Given to a service that never answered. */
async function loseTrack(config: Config, request: MailRequest): Promise<void> {
  const clock = { now: () => systemClock.now() - lostMinutes * 60_000 }
  const ledger = await openLedger(config, clock)
  const outgoing = new Outgoing({
    config,
    ledger,
    provider: {
      name: 'smtp',
      account: 'you@shop.example',
      send: () => Promise.reject(unclear('the mail server hung up before it had answered')),
    },
    vault: () => Vault.named(config),
    logs: () => logsOf(config),
    clock,
  })
  try {
    await outgoing.send(request)
  } catch (error) {
    if (!AgentMailError.is(error, 'send_failed')) throw error
  } finally {
    await outgoing.close()
    await ledger.close()
  }
}
