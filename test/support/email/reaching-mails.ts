/** Mails that want something fetched, somebody written to, or a terminal steered. */

interface ReachingMail {
  name: string
  raw: string
}

/** Stands where a person sees it, in every mail. */
export const seen = 'Harmless words'
export const evil = 'evil@example.net'

const headers = ['From: Zoe <zoe@example.com>', 'To: me@example.com', 'MIME-Version: 1.0']
const lines = (...text: string[]) => text.join('\r\n')
const mail = (subject: string, type: string, ...body: string[]) =>
  lines(...headers, `Subject: ${subject}`, `Content-Type: ${type}`, '', ...body)
const html = (subject: string, ...body: string[]) =>
  mail(subject, 'text/html; charset=utf-8', ...body)
const plain = (subject: string, ...body: string[]) =>
  mail(subject, 'text/plain; charset=utf-8', ...body)

/** What a mail program would fetch. */
const elements = [
  '<img src="http://127.0.0.1:9/a.png">',
  '<img src="//127.0.0.1:9/a.png" srcset="http://127.0.0.1:9/b.png 2x">',
  '<link rel=stylesheet href="http://127.0.0.1:9/a.css">',
  '<style>@import url(http://127.0.0.1:9/a.css); p{background:url(http://127.0.0.1:9/b)}</style>',
  '<iframe src="http://127.0.0.1:9/"></iframe><frame src="http://127.0.0.1:9/">',
  '<script src="http://127.0.0.1:9/a.js"></script><script>fetch("http://127.0.0.1:9/")</script>',
  '<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">',
  '<object data="http://127.0.0.1:9/"></object><embed src="http://127.0.0.1:9/">',
  '<video poster="http://127.0.0.1:9/" src="http://127.0.0.1:9/"></video>',
  '<table background="http://127.0.0.1:9/"><tr><td>x</td></tr></table>',
  '<svg><image href="http://127.0.0.1:9/"/><use href="http://127.0.0.1:9/#x"/></svg>',
  '<form action="http://127.0.0.1:9/"><button>x</button></form><base href="http://127.0.0.1:9/">',
  '<link rel=dns-prefetch href="//evil.example.net"><link rel=preconnect href="//127.0.0.1:9">',
  '<img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe>',
  '<img src="\\\\\\\\127.0.0.1\\\\share\\\\a.png">',
]
export const fetchingMails: ReachingMail[] = [
  ...elements.map((element) => ({
    name: element,
    raw: html('remote', `<p>${seen}</p>${element}`),
  })),
  {
    name: 'an external body',
    raw: mail(
      'external body',
      'multipart/mixed; boundary=b',
      '--b',
      '',
      seen,
      '--b',
      'Content-Type: message/external-body; access-type=URL; URL="http://127.0.0.1:9/x"',
      '',
      'Content-Type: text/plain',
      '',
      '--b--',
    ),
  },
  {
    name: 'entities of XML',
    raw: mail(
      'entities',
      'text/html',
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">',
      `<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;]><p>${seen}</p><p>&e;</p>`,
    ),
  },
  {
    name: 'a receipt',
    raw: lines(
      `Disposition-Notification-To: ${evil}`,
      `Return-Receipt-To: ${evil}`,
      plain('r', seen),
    ),
  },
]

/** What nobody sees, or what turns around what is seen, in everything that has a name. */
const unseen = [
  '\u200b\u200d\u2060\ufeff\u00ad\u3164',
  '\u202e\u202a\u202c\u2066\u2069\u200f\u061c',
  '\u{e0049}\u{e0067}\u{e01ef}\ufe0f',
  '\u001b[2J\u001b]0;owned\u0007\u009b31m',
  '\u0000\u0001\u0008\u007f\u0085\r\n',
]
const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
export const disguisedMails: ReachingMail[] = unseen.map((characters) => {
  const inside = [...characters].join('n')
  const file = `a${inside}b.pdf`
  return {
    name: JSON.stringify(characters),
    raw: lines(
      `From: ${encoded(`Zoe${inside}`)} <zoe@example.com>`,
      `To: ${encoded(`Me${inside}`)} <me@example.com>`,
      `Subject: ${encoded(`Sub${inside}ject`)}`,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `${seen} ${inside.replace(/[\r\n]/g, '')}`,
      '--b',
      `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(file)}`,
      '',
      'x',
      '--b',
      `Content-Type: application/pdf; name="${encoded(file)}"`,
      '',
      'x',
      '--b--',
    ),
  }
})

/** Who would be written to, if a mail could decide it. */
export const steeringMails: ReachingMail[] = [
  `Reply-To: ${evil}`,
  `Reply-To: Zoe <zoe@example.com>, ${evil}`,
  `Sender: ${evil}`,
  `Return-Path: <${evil}>`,
  `Mail-Followup-To: ${evil}`,
  `Cc: ${evil}`,
  `Bcc: ${evil}`,
  `Resent-To: ${evil}`,
  `From: "me@example.com" <${evil}>`,
  `In-Reply-To: <x@example.com>\r\nReferences: <a@b>\r\n Bcc: ${evil}`,
  `Message-ID: <x@y>\r\nX: y\r\nBcc: ${evil}`,
  `Message-ID: <${evil}\rBcc: ${evil}>`,
].map((header) => ({
  name: header,
  raw: lines(header, plain(`Bcc: ${evil}`, seen, `Bcc: ${evil}`)),
}))
