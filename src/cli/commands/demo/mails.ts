/** What comes in during the demo, and the rules that decide about it. */

export interface DemoMail {
  from: string
  subject: string
  minutesAgo: number
  body: string
}

export const mail = (
  from: string,
  subject: string,
  minutesAgo: number,
  lines: string[],
): DemoMail => ({
  from,
  subject,
  minutesAgo,
  body: lines.join('\r\n'),
})

const mails = [
  mail('Jane Doe <jane@customer.example>', 'Opening hours on Friday?', 42, [
    'Hello,',
    '',
    'until when are you open on Friday? I would like to pick up my order.',
    '',
    'Jane',
  ]),
  mail('The Weekly Widget <newsletter@widgets.example>', '12 things about widgets', 17, [
    'This week in widgets: they are round now.',
  ]),
  mail('Max Stone <max@partner.example>', 'A plan for next year', 5, [
    'Could we talk about next year? I have an idea that I would rather not put into a mail.',
  ]),
]

/** As files of the inbox, by name. */
export const demoInbox = (nowMs: number, more: DemoMail[] = []): Map<string, string> =>
  new Map(
    [...mails, ...more].map(({ from, subject, minutesAgo, body }, index) => [
      `${index + 1}.eml`,
      [
        `From: ${from}`,
        'To: You <you@shop.example>',
        `Subject: ${subject}`,
        `Date: ${new Date(nowMs - minutesAgo * 60_000).toUTCString()}`,
        `Message-ID: <demo-${index + 1}@mail.example>`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        body,
        '',
      ].join('\r\n'),
    ]),
  )

/** @param more further rules, before the others. */
export const demoRules = (more = ''): string => `---
rules:
${more}  - from: newsletter@
    decision: archive
    reason: Newsletters are read another day.
  - subject: opening hours
    decision: draft_reply
    reason: It is asked every week.
    reply: |
      Hello,

      we are open from Monday to Friday, 9 to 17. See you soon!

      Your shop
---
# Rules

The first rule that fits a mail decides. What no rule fits waits for you.
`
