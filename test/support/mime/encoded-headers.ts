/** Headers with encoded words, sound and broken, and what a reader is to see of them, whichever service they came by. */

export const encodedSubjects: [header: string, subject: string][] = [
  ['Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
  ['sUBJECT: =?UTF-8?B?8J+Ntee0hQ==?= tea', '🍵紅 tea'],
  ['Subject: =?utf-8?B?8J+N?=\r\n =?utf-8?B?tQ==?=', '🍵'],
  ['Subject: =?utf-8?Q?Really??=', 'Really?'],
  ['Subject: =?utf-8?Q?with a space?= end', 'with a space end'],
  ['Subject: =?windows-1252?Q?=80_5?= =?iso-8859-1?Q?=E9=93?=', '€ 5é“'],
  ['Subject: =?iso-2022-jp?B?GyRCJCIbKEI=?=', 'あ'],
  ['Subject: =?x-unknown?Q?abc?= =?utf-8*en?q?d?=', '=?x-unknown?Q?abc?=d'],
  ['Subject: =?utf-8?Q?a=0D=0ABcc:_x?=', 'a Bcc: x'],
  ['Subject: =?utf-8?Q?open', '=?utf-8?Q?open'],
  ['Subject: one\r\n two\r\nSubject: second', 'one two'],
]

export const deceptiveNames =
  '=?utf-8?Q?M=C3=BCller=2C_J?= <j@x.y>, =?utf-8?Q?boss=40x.y_=3Cboss=40x.y=3E?= <e@v.l>'
export const undeceived = '"Müller, J" <j@x.y>, "boss@x.y <boss@x.y>" <e@v.l>'
