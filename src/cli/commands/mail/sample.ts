/** agentmail mail sample: mails to try things with, in a folder of local mail and nowhere else. */
import { Config } from '../../../config.ts'
import { openMailFolder, providerName } from '../../../email/mail-provider.ts'
import { AgentMailError } from '../../../errors.ts'
import { systemClock } from '../../../system/clock.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { atMost } from '../../subcommands.ts'
import { demoInbox } from '../demo/mails.ts'

/** Says what to try next. A mail that is there stays as it is. */
export async function dropSamples({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  checkIsLocal(config)
  const folder = await openMailFolder(config)
  const samples = sampleMails(systemClock.now())
  let added = 0
  for (const [name, raw] of samples) {
    if (await folder.receive({ raw: Buffer.from(raw), identity: `sample ${name}` })) added++
  }
  if (json) printJson({ added, inbox: `${folder.account}/inbox` })
  else if (added === 0) print(`The sample mails are in ${folder.account}/inbox already.`)
  else {
    print(`${added} sample mails are in ${folder.account}/inbox. Now try:`)
    print('  agentmail mail list')
    print("  agentmail mail list 'filename:pdf'")
    print('  agentmail orchestrate --once      (with a vault: agentmail vault init <folder>)')
  }
  return 0
}

/** No mail is invented in an account that is somebody's. */
function checkIsLocal(config: Config): void {
  const name = providerName(config)
  if (config.isSet('mail') && name === 'local') return
  throw new AgentMailError(
    'invalid_request',
    config.isSet('mail') || name !== 'gmail'
      ? `sample mails are for local mail, and the mail service is ${name}`
      : 'sample mails are for local mail, and no mail service is named',
    'Set AGENTMAIL_MAIL=local, and AGENTMAIL_MAIL_DIR to a folder for it.',
  )
}

const invoice = [
  'From: =?utf-8?Q?J=C3=BCrgen_Stein?= <juergen@supplier.example>',
  'To: You <you@shop.example>',
  'Subject: =?utf-8?Q?Rechnung_f=C3=BCr_Mai?=',
]

/** The question and the newsletter of the demo, and an invoice whose name and subject have umlauts. */
function sampleMails(nowMs: number): Map<string, string> {
  const [question = '', newsletter = ''] = demoInbox(nowMs).values()
  const part = (head: string[], body: string[]) => ['--sample', ...head, '', ...body]
  const withFile = [
    ...invoice,
    `Date: ${new Date(nowMs - 9 * 60_000).toUTCString()}`,
    'Message-ID: <sample-invoice@mail.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=sample',
    '',
    ...part(
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
      ['Guten Tag,', '', 'anbei die Rechnung für Mai: 312,00 Euro.', '', 'Jürgen Stein'],
    ),
    ...part(
      [
        'Content-Type: application/pdf',
        "Content-Disposition: attachment; filename*=utf-8''Rechnung%20f%C3%BCr%20Mai.pdf",
        'Content-Transfer-Encoding: base64',
      ],
      [Buffer.from('%PDF-1.4\n% a sample, with nothing on it\n%%EOF\n').toString('base64')],
    ),
    '--sample--',
    '',
  ]
  return new Map([
    ['question', question],
    ['newsletter', newsletter],
    ['invoice', withFile.join('\r\n')],
  ])
}
