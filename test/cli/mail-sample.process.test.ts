/** agentmail mail sample: mails to try things with, in local mail and nowhere else. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail, type Env } from '../support/agentmail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const clean: Env = {
  AGENTMAIL_MAIL: undefined,
  AGENTMAIL_MAIL_DIR: undefined,
  POSTMARK_SERVER_TOKEN: undefined,
  AGENTMAIL_SMTP_URL: undefined,
  AGENTMAIL_IMAP_URL: undefined,
}

it('drops three mails once, which read as they were meant', async () => {
  const folder = temporaryFolder()
  const env = { ...clean, AGENTMAIL_MAIL: 'local', AGENTMAIL_MAIL_DIR: join(folder, 'mail') }
  const run = (...args: string[]) => agentmail(['mail', ...args], { env, cwd: folder })
  const first = await run('sample')
  expect(first).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('3 sample mails are in'),
  })
  expect(first.stdout).toContain('agentmail mail list')
  expect(JSON.parse((await run('sample', '--json')).stdout)).toMatchObject({ added: 0 })
  expect((await run('sample')).stdout).toContain('already')
  expect(readdirSync(join(folder, 'mail/inbox'))).toHaveLength(3)
  const { emails } = JSON.parse((await run('list', '--json')).stdout)
  expect(emails.map(({ subject }: { subject: string }) => subject)).toEqual([
    'Rechnung für Mai',
    '12 things about widgets',
    'Opening hours on Friday?',
  ])
  expect(JSON.parse((await run('show', emails[0].id, '--json')).stdout)).toMatchObject({
    sender: 'Jürgen Stein <juergen@supplier.example>',
    body: expect.stringContaining('Rechnung für Mai: 312,00 Euro'),
    attachment_names: ['Rechnung für Mai.pdf'],
  })
  expect(JSON.parse((await run('list', 'filename:pdf', '--json')).stdout).emails).toHaveLength(1)
})

it.each<[string, Env, RegExp]>([
  ['nothing is set up', {}, /no mail service is named\n.*Set AGENTMAIL_MAIL=local/],
  ['Gmail is named', { AGENTMAIL_MAIL: 'gmail' }, /the mail service is gmail\n/],
  ['Postmark is named', { AGENTMAIL_MAIL: 'postmark' }, /the mail service is postmark\n/],
  ['Postmark is set up', { POSTMARK_SERVER_TOKEN: 'x' }, /the mail service is postmark\n/],
])('refuses where %s', async (_, env, words) => {
  const folder = temporaryFolder()
  const { exitCode, stderr } = await agentmail(['mail', 'sample'], {
    env: { ...clean, AGENTMAIL_MAIL_DIR: join(folder, 'mail'), ...env },
    cwd: folder,
  })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(words) })
  expect(readdirSync(folder)).not.toContain('mail')
})
