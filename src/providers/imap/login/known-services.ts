/** Mail services whose servers need not be looked for, and what each wants for a password. */
import { isLoopbackHost, type MailServer } from '../../mail-server.ts'

export interface KnownService {
  name: string
  imap: MailServer
  smtp: MailServer
  /** `app`: one of its own for programs. `token`: it takes no password at all. */
  takes: 'password' | 'app' | 'token'
  /** What to do before, as a sentence. */
  advice: string | undefined
}

interface Row {
  name: string
  /** Of its addresses. */
  domains?: string
  /** How the names of the servers end that take the mail of its customers' domains. */
  exchangers?: string
  /** Port 993 is TLS from the start, and 465 is; others are STARTTLS. */
  imap: string
  smtp: string
  takes?: KnownService['takes']
  advice?: string
}

const switchOn = 'IMAP must be switched on in the settings of the web mail.'
const zoho = `${switchOn} With two-factor login Zoho wants an app password.`
const noPasswords = 'Set AGENTMAIL_MAIL_TOKEN to an OAuth access token, and run it again.'

const outlookDomains = ['com', 'de', 'fr', 'es', 'it', 'at', 'nl', 'co.uk']
  .flatMap((end) => [`outlook.${end}`, `hotmail.${end}`, `live.${end}`])
  .concat('msn.com')
  .join(' ')

const yahooDomains = ['com', 'de', 'fr', 'es', 'it', 'co.uk', 'co.in', 'ca', 'com.br']
  .map((end) => `yahoo.${end}`)
  .concat('ymail.com', 'rocketmail.com')
  .join(' ')

const rows: Row[] = [
  {
    name: 'Gmail',
    domains: 'gmail.com googlemail.com',
    exchangers: 'google.com googlemail.com',
    imap: 'imap.gmail.com:993',
    smtp: 'smtp.gmail.com:465',
    takes: 'app',
    advice: 'Make one at https://myaccount.google.com/apppasswords (it needs 2-step verification).',
  },
  {
    name: 'Outlook.com',
    domains: outlookDomains,
    imap: 'outlook.office365.com:993',
    smtp: 'smtp-mail.outlook.com:587',
    takes: 'token',
    advice: noPasswords,
  },
  {
    name: 'Microsoft 365',
    exchangers: 'mail.protection.outlook.com mx.microsoft',
    imap: 'outlook.office365.com:993',
    smtp: 'smtp.office365.com:587',
    takes: 'token',
    advice: noPasswords,
  },
  {
    name: 'iCloud',
    domains: 'icloud.com me.com mac.com',
    exchangers: 'mail.icloud.com',
    imap: 'imap.mail.me.com:993',
    smtp: 'smtp.mail.me.com:587',
    takes: 'app',
    advice: 'Make one at https://account.apple.com under App-Specific Passwords.',
  },
  {
    name: 'Fastmail',
    domains: 'fastmail.com fastmail.fm',
    exchangers: 'messagingengine.com',
    imap: 'imap.fastmail.com:993',
    smtp: 'smtp.fastmail.com:465',
    takes: 'app',
    advice: 'Make one in Fastmail under Settings, Privacy & Security, App passwords.',
  },
  {
    name: 'Yahoo',
    domains: yahooDomains,
    exchangers: 'yahoodns.net',
    imap: 'imap.mail.yahoo.com:993',
    smtp: 'smtp.mail.yahoo.com:465',
    takes: 'app',
    advice: 'Make one at https://login.yahoo.com/account/security.',
  },
  {
    name: 'AOL',
    domains: 'aol.com',
    imap: 'imap.aol.com:993',
    smtp: 'smtp.aol.com:465',
    takes: 'app',
    advice: 'Make one at https://login.aol.com/account/security.',
  },
  {
    name: 'GMX',
    domains: 'gmx.de gmx.net gmx.at gmx.ch',
    imap: 'imap.gmx.net:993',
    smtp: 'mail.gmx.net:465',
    advice: switchOn,
  },
  {
    name: 'GMX',
    domains: 'gmx.com gmx.us gmx.co.uk gmx.fr',
    imap: 'imap.gmx.com:993',
    smtp: 'mail.gmx.com:465',
    advice: switchOn,
  },
  {
    name: 'WEB.DE',
    domains: 'web.de',
    imap: 'imap.web.de:993',
    smtp: 'smtp.web.de:587',
    advice: switchOn,
  },
  {
    name: 'T-Online',
    domains: 't-online.de magenta.de',
    imap: 'secureimap.t-online.de:993',
    smtp: 'securesmtp.t-online.de:465',
    takes: 'app',
    advice: 'It is the one for e-mail programs, made in the customer centre.',
  },
  {
    name: 'Posteo',
    domains: 'posteo.de posteo.net posteo.eu',
    imap: 'posteo.de:993',
    smtp: 'posteo.de:465',
  },
  {
    name: 'mailbox.org',
    domains: 'mailbox.org',
    exchangers: 'mailbox.org',
    imap: 'imap.mailbox.org:993',
    smtp: 'smtp.mailbox.org:465',
  },
  {
    name: 'Migadu',
    exchangers: 'migadu.com',
    imap: 'imap.migadu.com:993',
    smtp: 'smtp.migadu.com:465',
  },
  {
    name: 'IONOS',
    exchangers: 'kundenserver.de',
    imap: 'imap.ionos.de:993',
    smtp: 'smtp.ionos.de:465',
  },
  {
    name: 'Infomaniak',
    domains: 'ik.me etik.com',
    exchangers: 'infomaniak.ch',
    imap: 'mail.infomaniak.com:993',
    smtp: 'mail.infomaniak.com:465',
  },
  {
    name: 'Zoho',
    domains: 'zoho.com zohomail.com',
    exchangers: 'zoho.com',
    imap: 'imap.zoho.com:993',
    smtp: 'smtp.zoho.com:465',
    advice: zoho,
  },
  {
    name: 'Zoho',
    domains: 'zoho.eu zohomail.eu',
    exchangers: 'zoho.eu',
    imap: 'imap.zoho.eu:993',
    smtp: 'smtp.zoho.eu:465',
    advice: zoho,
  },
  {
    name: 'Yandex',
    domains: 'yandex.com yandex.ru ya.ru',
    exchangers: 'yandex.net yandex.ru',
    imap: 'imap.yandex.com:993',
    smtp: 'smtp.yandex.com:465',
    takes: 'app',
    advice: `Make one at https://id.yandex.com/security/app-passwords. ${switchOn}`,
  },
  {
    name: 'Mail.ru',
    domains: 'mail.ru inbox.ru list.ru bk.ru',
    imap: 'imap.mail.ru:993',
    smtp: 'smtp.mail.ru:465',
    takes: 'app',
    advice: 'Make one in the settings under Security.',
  },
  {
    name: 'Proton',
    domains: 'proton.me protonmail.com protonmail.ch pm.me',
    exchangers: 'protonmail.ch',
    imap: '127.0.0.1:1143',
    smtp: '127.0.0.1:1025',
    takes: 'app',
    advice: 'It is the one that Proton Mail Bridge shows, which must run on this machine.',
  },
]

const serviceOf = ({ name, imap, smtp, takes = 'password', advice }: Row): KnownService => ({
  name,
  imap: serverAt(imap),
  smtp: serverAt(smtp),
  takes,
  advice,
})

function serverAt(place: string): MailServer {
  const [host = '', port = ''] = place.split(':')
  const isSecure = ['993', '465'].includes(port)
  return { host, port: Number(port), isSecure, isLoopback: isLoopbackHost(host) }
}

const firstWhere = (fits: (row: Row) => boolean): KnownService | undefined => {
  const row = rows.find(fits)
  return row && serviceOf(row)
}

/** By the domain of an address. */
export const serviceOfDomain = (domain: string): KnownService | undefined =>
  firstWhere(({ domains }) => domains?.split(' ').includes(domain) ?? false)

/** By the server that takes the mail of a domain: many are customers of a service. */
export const serviceOfExchanger = (host: string): KnownService | undefined =>
  firstWhere(({ exchangers }) =>
    (exchangers?.split(' ') ?? []).some((end) => `.${host}`.endsWith(`.${end}`)),
  )

/** By a server that was named or found. */
export const serviceOfServer = ({ host }: MailServer): KnownService | undefined =>
  firstWhere(({ imap }) => !isLoopbackHost(host) && serverAt(imap).host === host)
