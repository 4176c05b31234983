/** Secrets of every kind, planted in settings, files and the replies of services: none comes out anywhere. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PlantedHome } from '../../support/email/planted-home.ts'
import { foreign, kinds, own, secretsIn, spellings } from '../../support/email/planted-secrets.ts'
import {
  type Heard,
  httpTattler,
  type ImapNo,
  imapTattler,
  type Reply,
  smtpTattler,
} from '../../support/email/tattlers.ts'

const everything = [...Object.values(own), ...Object.values(foreign)].join(' ')

const gmailCalls: [string, object][] = [
  ['list_emails', {}],
  ['get_email', { message_id: '18c2f' }],
  ['send_email', { to: 'jane@example.com', subject: 'Hi', body: 'x', idempotency_key: 'k' }],
  ['send_email', { to: 'jane@example.com', subject: 'Hi', body: 'x', reply_to_message_id: '1' }],
  ['move_email', { message_id: '18c2f', destination_label: 'Done' }],
  ['add_label', { message_id: '18c2f', label_name: 'New' }],
]
const words = ['--to', 'jane@example.com', '--subject', 'Hi', '--body', 'x']
const commands = [
  ['mail', 'list'],
  ['mail', 'list', '--json'],
  ['mail', 'show', '18c2f'],
  ['mail', 'send', ...words],
  ['mail', 'send', ...words, '--json', '--key', 'k'],
  ['gmail', 'status'],
  ['gmail', 'status', '--json'],
]
const ledgerCommands = [
  ['mail', 'log'],
  ['mail', 'log', '--json'],
  ['config'],
  ['config', '--json'],
]

const spelled = (text: string) => Object.values(spellings).map((spell) => spell(text))

/** As Google and its login would say it, with all of it in every place. */
function googleReply(status: number, { path, all }: Heard): Reply {
  const told = [all, everything, ...spelled(own.accessToken), ...spelled(own.refreshToken)].join(
    ' ',
  )
  const error = {
    code: status,
    message: told,
    status: told,
    errors: [{ reason: told, message: told }],
  }
  const isLogin = !path.startsWith('/gmail/')
  const body = isLogin ? { error: told, error_description: told } : { error, details: [told] }
  const oneLine = encodeURIComponent(told).slice(0, 4000)
  return {
    status,
    body: JSON.stringify(body),
    headers: { location: `http://127.0.0.1:1/?${oneLine}`, 'retry-after': '0', 'x-echo': oneLine },
  }
}

describe('a secret', () => {
  it('is planted in more than 25 kinds, and found however it is spelled (control)', () => {
    expect(kinds().length).toBeGreaterThanOrEqual(25)
    for (const text of [...Object.values(own), ...Object.values(foreign)]) {
      for (const [name, spell] of Object.entries(spellings)) {
        expect(secretsIn(`<${spell(text)}>`), `${text} ${name}`).toHaveLength(1)
      }
    }
    expect(new Set(secretsIn(everything))).toEqual(new Set(kinds()))
    expect(secretsIn('nothing of the kind')).toEqual([])
  })

  it('is told by no tool or command of gmail, whatever Google answers', async () => {
    const google = await httpTattler(onTestFinished)
    const home = new PlantedHome(google.url)
    const gmail = { AGENTMAIL_MAIL: 'gmail' }
    const { accessToken } = own
    const json = (value: object): Reply => ({ status: 200, body: JSON.stringify(value) })
    const replies: ((heard: Heard) => Reply)[] = [
      () => json({ id: '18c2f', threadId: accessToken, labelIds: [accessToken] }),
      () => json({ id: accessToken, emailAddress: accessToken, nextPageToken: 7 }),
      ({ all }) => ({ status: 200, type: 'text/html', body: `<p>${all} ${everything}` }),
      ...[302, 400, 403, 404, 409, 429, 500, 401].map(
        (status) => (heard: Heard) => googleReply(status, heard),
      ),
    ]
    const rounds = replies.map((reply, index) => () => {
      google.reply = reply
      return gmailCalls.map(([name, args]): [string, object] => [
        name,
        'idempotency_key' in args ? { ...args, idempotency_key: `k${index}` } : args,
      ])
    })
    await home.call('gmail', rounds, gmail)
    google.reply = (heard) => googleReply(400, heard)
    await Promise.all(commands.map((command) => home.run(command, gmail)))
    await home.call('gmail', [() => gmailCalls], { ...gmail, AGENTMAIL_SEND_POLICY: 'approve' })
    await home.login(own.oauthCode)
    for (const command of [...ledgerCommands, ['gmail', 'logout']]) await home.run(command, gmail)
    const heard = google.heard.map(({ all }) => all).join('\n')
    const known = ['access token', 'refresh token', 'client secret', 'oauth code']
    expect(new Set(secretsIn(heard))).toEqual(new Set(known))
    expect(home.leaks()).toEqual([])
    const [, encoded = 'none'] = /code_verifier=([^&\s]+)/.exec(heard) ?? []
    const verifier = decodeURIComponent(encoded)
    expect(verifier).toMatch(/^[\w.~-]{43,}$/)
    expect(home.printed).not.toContain(verifier)
  })

  it('is told by no tool or command of postmark, whatever Postmark answers', async () => {
    const postmark = await httpTattler(onTestFinished)
    const home = new PlantedHome(postmark.url)
    const told = [
      ...spelled(own.postmarkToken),
      ...Object.values(foreign),
      ...Object.values(foreign).map((text) => spellings['in JSON']?.(text) ?? ''),
      ...Object.values(foreign).map((text) => spellings['in HTML']?.(text) ?? ''),
      ...Object.values(foreign).map((text) => spellings['in a stack']?.(text) ?? ''),
      `${'x '.repeat(240)}${own.postmarkToken}`,
      own.postmarkToken.split('').join('\u200b'),
    ]
    const statuses = [200, 401, 422, 429, 500]
    const rounds = told.map((text, index) => (): [string, object][] => {
      const status = statuses[index % statuses.length] ?? 422
      const body = {
        ErrorCode: status === 200 ? 300 : 406,
        Message: `No: ${text}`,
        MessageID: text,
      }
      postmark.reply = () => ({
        status,
        body: JSON.stringify(body),
        headers: { 'retry-after': '1' },
      })
      const mail = { from: 'me@example.com', to: 'jane@example.com' }
      return index % 2 === 0
        ? [['send_email', { ...mail, subject: 'Hi', textBody: 'x' }]]
        : [['send_template_email', { ...mail, templateId: 'welcome', templateModel: {} }]]
    })
    await home.call('postmark', rounds)
    // What it says when it is asked for a mail whose outcome is not known.
    postmark.reply = ({ path }) => {
      if (path === '/email') return { status: 500, body: '{}' }
      const metadata = /metadata_([^=]+)=([^&]+)/.exec(path) ?? []
      const Metadata = { [metadata[1] ?? '']: metadata[2] }
      const MessageID = `${own.postmarkToken} ${own.postmarkToken}`
      return { status: 200, body: JSON.stringify({ Messages: [{ MessageID, Metadata }] }) }
    }
    const env = { AGENTMAIL_MAIL: 'postmark' }
    for (const json of [[], ['--json']])
      await home.run(['mail', 'send', ...words, '--key', 'k', ...json], env)
    for (const command of [['mail', 'list'], ...ledgerCommands]) await home.run(command, env)
    expect(secretsIn(postmark.heard.map(({ all }) => all).join(''))).toEqual(['postmark'])
    expect(home.printed).toContain('No: ********')
    expect(home.leaks()).toEqual([])
  })

  it('is told by no command, whatever a mail server answers', async () => {
    const server = await smtpTattler(everything.replaceAll('\n', ' '), onTestFinished)
    const password = encodeURIComponent(own.smtpPassword)
    const home = new PlantedHome('http://127.0.0.1:1', {
      AGENTMAIL_MAIL: 'smtp',
      AGENTMAIL_SMTP_URL: `smtp://me:${password}@127.0.0.1:${server.port}`,
    })
    for (const json of [[], ['--json']]) await home.run(['mail', 'send', ...words, ...json])
    const bad = { AGENTMAIL_SMTP_URL: `smtp://me:${password}%@host/?${password}` }
    await home.run(['mail', 'send', ...words], bad)
    for (const command of ledgerCommands) await home.run(command)
    expect(secretsIn(server.heard())).toEqual(['smtp password'])
    expect(home.leaks()).toEqual([])
  })

  it('is told by no tool or command of IMAP, whatever its servers answer', async () => {
    const said = everything.replaceAll('\n', ' ')
    const imap = await imapTattler(said, onTestFinished)
    const smtp = await smtpTattler(said, onTestFinished)
    const [imapPassword, smtpPassword] = [own.imapPassword, own.smtpPassword].map(
      encodeURIComponent,
    )
    const home = new PlantedHome('http://127.0.0.1:1', {
      AGENTMAIL_MAIL: 'imap',
      AGENTMAIL_IMAP_URL: `imap://me:${imapPassword}@127.0.0.1:${imap.port}`,
      AGENTMAIL_SMTP_URL: `smtp://me:${smtpPassword}@127.0.0.1:${smtp.port}`,
    })
    const readable = commands.filter(([room]) => room === 'mail')
    const all = [...readable, ['mail', 'status'], ['mail', 'status', '--json']]
    const byToken = {
      AGENTMAIL_IMAP_URL: `imap://me@127.0.0.1:${imap.port}`,
      AGENTMAIL_SMTP_URL: `smtp://me@127.0.0.1:${smtp.port}`,
      AGENTMAIL_MAIL_TOKEN: own.mailToken,
    }
    const noes: ImapNo[] = ['login', 'commands', 'goodbye']
    for (const no of noes) {
      imap.no = no
      await Promise.all(all.map((command) => home.run(command)))
      await home.call('gmail', [() => gmailCalls])
    }
    await Promise.all(all.map((command) => home.run(command, byToken)))
    const bad = { AGENTMAIL_IMAP_URL: `imap://me:${imapPassword}%@host/?${imapPassword}` }
    await Promise.all(all.map((command) => home.run(command, bad)))
    await home.run(['orchestrate', '--once'])
    for (const command of ledgerCommands) await home.run(command)
    expect(new Set(secretsIn(imap.heard))).toEqual(new Set(['imap password', 'mail token']))
    expect(home.leaks()).toEqual([])
  })

  it.each([
    [
      'a server that is none',
      (port: number, password: string) => `mysql://me:${password}@127.0.0.1:${port}/mail`,
    ],
    [
      'a password as a parameter',
      (port: number, password: string) => `mysql://me@127.0.0.1:${port}/mail?password=${password}`,
    ],
    ['a slash too few', (_: number, password: string) => `mysql:/me:${password}@127.0.0.1/mail`],
    ['another scheme', (_: number, password: string) => `postgres://me:${password}@127.0.0.1/mail`],
    [
      'a blank before it',
      (port: number, password: string) => ` mysql://me:${password}@127.0.0.1:${port}/mail`,
    ],
    [
      'another name of a password',
      (port: number, password: string) =>
        `mysql://me@127.0.0.1:${port}/mail?pwd=${password}&p%77=${password}`,
    ],
    [
      'a parameter without a name',
      (port: number, password: string) => `mysql://me@127.0.0.1:${port}/mail?${password}`,
    ],
    ['no host', (_: number, password: string) => `mysql://me:${password}/mail`],
    ['no scheme', (_: number, password: string) => `me:${password}@127.0.0.1/mail`],
    ['a scheme misspelled', (_: number, password: string) => `mysq:/me:${password}@127.0.0.1/mail`],
    ['quotes', (_: number, password: string) => `'mysql://me:${password}@127.0.0.1/mail'`],
    ['a file with a key', (_: number, password: string) => `mail.db?key=${password}`],
  ])('is not told of a database that cannot be opened: %s', async (_, address) => {
    const server = await smtpTattler(everything.replaceAll('\n', ' '), onTestFinished, 50)
    const db = address(server.port, encodeURIComponent(own.dbPassword))
    const home = new PlantedHome('http://127.0.0.1:1', { AGENTMAIL_DB: db })
    const tries = [
      ['mail', 'send', ...words, '--json'],
      ['mail', 'log'],
      ['db', 'check', '--json'],
      ['db', 'check'],
      ['agents'],
      ['serve', '--port', '0', '--db', `${db}x`],
      ['db', 'copy', '--from', db, '--to', `${db}x`],
      ['config'],
      ['config', '--json'],
    ]
    await Promise.all(tries.map((command) => home.run(command)))
    expect(home.leaks()).toEqual([])
  })

  it.each([
    `mail-server --token=${own.bearerToken}`,
    `mail-server --api-key ${own.bearerToken}`,
    `mail-server ${own.bearerToken}`,
    `API_KEY=${own.bearerToken} mail-server`,
    `"mail server ${own.bearerToken}`,
    `mail-server https://me:${own.bearerToken}@127.0.0.1/`,
    `sh -c 'echo ${own.bearerToken} >&2; echo token=${own.bearerToken}; exit 1'`,
  ])('is not told of a command: %s', async (command) => {
    const servers = { GMAIL_MCP_SERVER: command, OBSIDIAN_MCP_SERVER: command }
    const home = new PlantedHome('http://127.0.0.1:1', { ...servers, AGENTMAIL_MAIL: 'local' })
    await home.run(['config'])
    await home.run(['config', '--json'])
    await home.run(['orchestrate', '--once'])
    expect(home.leaks()).toEqual([])
  })

  it('that leaks is found (control)', async () => {
    const home = new PlantedHome('http://127.0.0.1:1')
    expect(home.leaks()).toEqual([])
    mkdirSync(join(home.vault, 'Drafts'))
    const leak = Buffer.from(`POST / ${own.refreshToken}`).toString('base64')
    writeFileSync(join(home.vault, 'Drafts/a.md'), `see ${leak}`)
    expect(home.leaks()).toEqual(['vault/Drafts/a.md: refresh token'])
    await home.run(['mail', 'send', '--to', own.postmarkToken, '--body', 'x'])
    expect(home.leaks()).toHaveLength(2)
  })
})
