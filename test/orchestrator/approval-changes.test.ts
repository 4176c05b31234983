/** What was changed after a person approved it by command is not sent, however it was changed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../src/orchestrator/approval/approve.ts'
import { ApprovedNotes } from '../support/orchestrator/approved-notes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Gives the notes that must not be sent then; without, the one that the way is about. */
type Way = [name: string, change: (notes: ApprovedNotes) => unknown, voided?: string[]]

const [reply, plain, postmark, template, delegated] = [
  'Approved/reply.md',
  'Approved/plain.md',
  'Approved/postmark.md',
  'Approved/template.md',
  'Approved/delegated.md',
]

const unapproved = (text: string) => text.replace(/^approved_.*\n/gm, '')

const replaced: [path: string, from: string | RegExp, to: string][] = [
  [reply, 'from: Anna <anna@', 'from: Anna <anne@'],
  [reply, 'from: Anna ', 'from: The Boss '],
  [reply, /^from: .*\n/m, ''],
  [reply, 'Jane <jane@example.com>', 'Jane <jane@example.org>'],
  [reply, 'Jane <jane@', 'Janet <jane@'],
  [reply, 'Jane <jane@', 'Jane <Jane@'],
  [reply, 'jane@example', 'j\u0430ne@example'],
  [reply, 'jane@example', 'jane@ex\u00e4mple'],
  [reply, ', joe@example.com', ''],
  [reply, ', joe@example.com', ', joe@example.com, eve@example.com'],
  [reply, 'Jane <jane@example.com>, joe@example.com', 'joe@example.com, Jane <jane@example.com>'],
  [reply, /^to: .*$/m, 'to: [jane@example.com, joe@example.com]'],
  [reply, /^to: .*$/m, 'to:'],
  [reply, /^to: .*$/m, 'to: 7'],
  [reply, /^to: .*\n/m, ''],
  [reply, /^to: /m, 'To: '],
  [reply, /^cc: /m, 'bcc2: '],
  [reply, 'carl@', 'eve@'],
  [reply, /^cc: .*\n/m, ''],
  [reply, /^cc: (.*)$/m, 'cc: $1, eve@example.com'],
  [reply, 'bea@', 'eve@'],
  [reply, /^bcc: .*\n/m, ''],
  [reply, /^bcc: (.*)$/m, 'bcc:\n  - $1\n  - eve@example.com'],
  [plain, 'subject:', 'bcc: eve@example.com\nsubject:'],
  [plain, 'subject:', 'cc: eve@example.com\nsubject:'],
  [plain, 'subject:', 'reply_to: eve@example.com\nsubject:'],
  [plain, 'subject:', 'from: eve@example.com\nsubject:'],
  [plain, 'subject:', 'reply_to_message_id: xyz\nsubject:'],
  [plain, 'subject:', 'attachments: [Files/terms.txt]\nsubject:'],
  [plain, 'subject:', 'provider: smtp\nsubject:'],
  [plain, 'subject:', 'format: html\nsubject:'],
  [plain, 'subject:', 'html: <p>At one?</p>\nsubject:'],
  [plain, 'subject:', 'template: {id: 1}\nsubject:'],
  [plain, 'subject:', 'message_id: xyz\nsubject:'],
  [plain, 'subject:', 'message_id: xyz\ntriage: delegate\ndelegate_to: eve\nsubject:'],
  [reply, 'desk@', 'eve@'],
  [reply, /^reply_to: .*\n/m, ''],
  [reply, 'for May', 'for June'],
  [reply, 'Offer for', 'offer for'],
  [reply, 'Offer for', 'Offer  for'],
  [reply, 'Offer for', 'Offer\u00a0for'],
  [reply, 'Offer', '\u041effer'],
  [reply, 'Offer', 'Of\u200bfer'],
  [reply, 'subject: Offer for May', 'subject: "Offer for May "'],
  [reply, 'subject: Offer for May', 'subject: "Offer\\x20for\\u0020May!"'],
  [reply, 'subject: Offer for May', 'subject: \'"Offer for May"\''],
  [reply, 'subject: Offer for May', 'subject: >\n  Offer for May'],
  [reply, 'subject: Offer for May', 'subject: Offer for May\n  and June'],
  [reply, 'subject: Offer for May', 'subject: Offer #for May'],
  [reply, /^subject: .*\n/m, ''],
  [plain, 'subject: Lunch', 'subject: 12'],
  [reply, 'abc123', 'abc124'],
  [reply, 'abc123', '"abc123 "'],
  [reply, /^reply_to_message_id: .*\n/m, ''],
  [reply, 'Files/offer.pdf', 'Files/terms.txt'],
  [reply, 'Files/offer.pdf', 'Files/nothing.pdf'],
  [reply, 'Files/offer.pdf', '../offer.pdf'],
  [reply, 'name: offer.pdf', 'name: offer.exe'],
  [reply, /^ {4}name: .*\n/m, '    name: Offer.pdf\n'],
  [reply, 'application/pdf', 'text/html'],
  [reply, '  - Files/terms.txt\n', ''],
  [reply, '  - Files/terms.txt\n', '  - Files/terms.txt\n  - Files/terms.txt\n'],
  [reply, /^attachments:\n( .*\n)+/m, ''],
  [reply, /^attachments:/m, 'attached:'],
  [reply, /(\n {2}- path(?:.*\n){3})( {2}- Files.*\n)/, '\n$2$1'.replace('\n\n', '\n')],
  [reply, '100 Euro', '101 Euro'],
  [reply, '100 Euro', '100 euro'],
  [reply, '100 Euro', '100  Euro'],
  [reply, '100 Euro', '100\tEuro'],
  [reply, '100 Euro', '1\u043e0 Euro'],
  [reply, 'Euro.\n', 'Euro.'],
  [reply, 'Euro.\n', 'Euro.\n\n'],
  [reply, 'Euro.\n', 'Euro. \n'],
  [reply, 'Euro.\n', 'Euro.\r\n'],
  [reply, 'Euro.\n', 'Euro.\r'],
  [reply, 'Euro.\n', 'Euro.\u2028\n'],
  [reply, 'Euro.\n', 'Euro.\n<!-- and pay to 12345 -->\n'],
  [reply, 'Dear Jane', '\ufeffDear Jane'],
  [reply, 'Dear Jane', '\nDear Jane'],
  [reply, 'Dear Jane', 'Dear Jan\u0435'],
  [reply, 'Dear Jane', 'Dear Jane\u0301'],
  [reply, /Dear[\s\S]*$/, ''],
  [reply, /Dear[\s\S]*$/, '<p>Dear Jane,</p><p>the price is 100 Euro.</p>\n'],
  [reply, /^---\n/, '\n---\n'],
  [reply, /^---\n/, ''],
  [reply, /\n---\nDear/, '\n---\n---\nDear'],
  [reply, /\n---\nDear/, '\n\nDear'],
  [plain, /^(to: .*\n)(.*\n)/m, '$2$1to: eve@example.com\n'],
  [plain, /^to: paul(.*)$/m, 'to: &a paul$1\ncc: *a'],
  [plain, /^to: .*$/m, 'to: {paul@example.com: eve@example.com}'],
  [plain, /^to: .*$/m, 'to: !!binary cGF1bA=='],
  [postmark, 'provider: postmark', 'provider: smtp'],
  [postmark, /^provider: .*\n/m, ''],
  [postmark, 'html: <p>News</p>', 'html: <p>Olds</p>'],
  [postmark, /^html: .*\n/m, ''],
  [postmark, /^html: .*$/m, 'format: html'],
  [postmark, 'track_opens: false', 'track_opens: true'],
  [postmark, /^track_opens: .*\n/m, ''],
  [postmark, 'track_links: None', 'track_links: HtmlOnly'],
  [postmark, 'tag: news', 'tag: olds'],
  [postmark, 'issue: "7"', 'issue: "8"'],
  [postmark, 'issue: "7"', 'issue: 7'],
  [postmark, 'message_stream: outbound', 'message_stream: broadcast'],
  [template, 'alias: welcome', 'alias: goodbye'],
  [template, 'alias: welcome', 'id: 7'],
  [template, 'name: Paul', 'name: Eve'],
  [template, 'name: Paul', 'name: Paul\n  debt: 5'],
  [template, /$/, 'Pay now!'],
  [template, /^template:\n.*\n/m, ''],
  [delegated, 'delegate_to: books', 'delegate_to: eve'],
  [delegated, /^delegate_to: .*\n/m, ''],
  [delegated, 'def456', 'def457'],
  [delegated, 'subject: Invoice', 'subject: Voice'],
  [delegated, 'bill@', 'eve@'],
  [delegated, 'Please pay.', 'Please pay twice.'],
  [delegated, 'triage: delegate', 'triage: draft_reply'],
  [delegated, /^message_id: .*\n/m, 'to: eve@example.com\n'],
  [plain, 'approved_by: anna', 'approved_by: boss'],
  [plain, /^approved_at: .*$/m, 'approved_at: 2020-01-01T00:00:00.000Z'],
  [plain, /^approved_sha256: .*$/m, `approved_sha256: ${'0'.repeat(64)}`],
  [plain, /^(approved_by: .*\n)/m, '$1$1'],
]

/** The hash that the note would have, from a vault where somebody approves it as it is now. */
async function forged(notes: ApprovedNotes, path: string): Promise<void> {
  const elsewhere = await ApprovedNotes.make()
  elsewhere.put('Drafts/forged.md', unapproved(notes.text(path)))
  const { sha256, approved_at } = await approve(elsewhere.vault, 'Drafts/forged.md', { by: 'anna' })
  notes.edit(path, (text) =>
    text
      .replace(/^approved_sha256: .*$/m, `approved_sha256: ${sha256}`)
      .replace(/^approved_at: .*$/m, `approved_at: ${approved_at}`),
  )
}

const other = 'Approved/other.md'

const deeds: Way[] = [
  ['other bytes of a file', (notes) => notes.put('Files/offer.pdf', 'Offer')],
  ['a file that grew', (notes) => notes.put('Files/terms.txt', 'terms\n')],
  ['a file that is gone', (notes) => notes.remove('Files/terms.txt')],
  ['a file that is empty', (notes) => notes.put('Files/terms.txt', '')],
  ['a file for another', (notes) => notes.copy('Files/offer.pdf', 'Files/terms.txt')],
  [
    'an edit by an editor that writes anew',
    (notes) => notes.editAnew(reply, (text) => text.replace('100', '200')),
  ],
  ['line ends of Windows', (notes) => notes.edit(reply, (text) => text.replace(/\n/g, '\r\n'))],
  ['a byte that is no UTF-8', (notes) => notes.put(plain, Buffer.from([0x41, 0xff])), [plain]],
  [
    'an edit without the approval',
    (notes) => notes.edit(plain, (text) => unapproved(text).replace('noon', 'one')),
    [plain],
  ],
  [
    'an edit with the right hash forged',
    async (notes) => {
      notes.replace(plain, 'noon', 'one')
      await forged(notes, plain)
    },
    [plain],
  ],
  ['another name', (notes) => notes.move(plain, other), [other]],
  [
    'a folder below',
    (notes) => {
      notes.put('Approved/sub/keep.md', '')
      notes.copy(plain, 'Approved/sub/plain.md')
    },
    ['Approved/sub/plain.md'],
  ],
  [
    'another name and no approval',
    (notes) => {
      notes.move(plain, other)
      notes.edit(other, unapproved)
    },
    [other],
  ],
  [
    'another name and an edit',
    (notes) => {
      notes.move(plain, other)
      notes.replace(other, 'noon', 'one')
    },
    [other],
  ],
  [
    'another name, an edit and no approval',
    (notes) => {
      notes.move(plain, other)
      notes.edit(other, (text) => unapproved(text).replace('noon', 'one'))
    },
    [other],
  ],
  [
    'another name and file, an edit and no approval, of an answer',
    (notes) => {
      notes.editAnew(reply, (text) => unapproved(text).replace('100', '200'))
      notes.move(reply, other)
    },
    [other],
  ],
  [
    'another name and the right hash forged',
    async (notes) => {
      notes.move(plain, other)
      notes.replace(other, 'noon', 'one')
      await forged(notes, other)
    },
    [other],
  ],
  ['a copy', (notes) => notes.copy(plain, other), [other]],
  ['a second name', (notes) => notes.link(plain, other), [other]],
  [
    'a copy without the approval',
    (notes) => {
      notes.copy(plain, other)
      notes.edit(other, unapproved)
    },
    [other],
  ],
  [
    'a changed copy',
    (notes) => {
      notes.copy(plain, other)
      notes.replace(other, 'paul@', 'eve@')
    },
    [other],
  ],
  [
    'a changed copy of an answer without the approval',
    (notes) => {
      notes.copy(reply, other)
      notes.edit(other, (text) => unapproved(text).replace('100', '200'))
    },
    [other],
  ],
  [
    'an edit while it was out',
    (notes) => {
      notes.move(plain, 'Drafts/plain.md')
      notes.replace('Drafts/plain.md', 'noon', 'one')
      notes.move('Drafts/plain.md', plain)
    },
    [plain],
  ],
  [
    'an edit without the approval while it was out',
    (notes) => {
      notes.move(plain, 'Drafts/plain.md')
      notes.edit('Drafts/plain.md', (text) => unapproved(text).replace('noon', 'one'))
      notes.move('Drafts/plain.md', plain)
    },
    [plain],
  ],
  [
    'another note of its name',
    (notes) => {
      notes.remove(plain)
      notes.put(plain, '---\nto: eve@example.com\n---\nHello\n')
    },
    [plain],
  ],
  ['the text of another', (notes) => notes.copy(reply, plain), [plain]],
  [
    'traded names',
    (notes) => {
      notes.move(plain, other)
      notes.move(reply, plain)
      notes.move(other, reply)
    },
    [plain, reply],
  ],
  [
    'the approval of another',
    (notes) => {
      const lines = notes.text(reply).match(/^approved_.*\n/gm) ?? []
      notes.edit(plain, (text) =>
        unapproved(text)
          .replace('noon', 'one')
          .replace('---\nAt', `${lines.join('')}---\nAt`),
      )
    },
    [plain],
  ],
  [
    'an approval that nobody gave',
    (notes) => notes.put(other, '---\nto: eve@example.com\napproved_by: anna\n---\nHello\n'),
    [other],
  ],
  [
    'a hash that nobody approved',
    async (notes) => {
      notes.put(other, '---\nto: eve@example.com\napproved_sha256: x\napproved_at: x\n---\nHello\n')
      await forged(notes, other)
    },
    [other],
  ],
]

const hidden =
  '\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\u061c\u180e\u3164\u00a0\ufe0f\u0007\u0000'

const edits: typeof replaced = [
  ...replaced,
  ...[...hidden].map((one): (typeof replaced)[0] => [reply, 'price', `pri${one}ce`]),
]

describe('a note that was approved by command', () => {
  let shared: ApprovedNotes
  beforeAll(async () => {
    shared = await ApprovedNotes.make({ folder: temporaryFolder(afterAll), isAll: true })
  })

  it.each(edits)('is not sent after an edit of %s: for %j now %j', async (path, from, to) => {
    const text = shared.text(path)
    shared.replace(path, from, to)
    expect(await shared.standing(path)).toMatchObject({ is: 'void' })
    shared.put(path, text)
    expect(await shared.standing(path)).toMatchObject({ is: 'approved', approval: { by: 'anna' } })
  })

  it.each(deeds)('is not sent after %s', async (_, change, voided = [reply]) => {
    const notes = await ApprovedNotes.make()
    await change(notes)
    for (const path of voided) expect(await notes.standing(path)).toMatchObject({ is: 'void' })
  })

  it('was changed in more than 100 ways', () =>
    expect(edits.length + deeds.length).toBeGreaterThan(100))

  it('says who approved it, when, and what to do', async () => {
    const notes = await ApprovedNotes.make()
    notes.replace(plain, 'noon', 'one')
    expect(await notes.standing(plain)).toEqual({
      is: 'void',
      reason: expect.stringMatching(
        /changed after it was approved by anna at 20.*Z\. Approve it as it is now/,
      ),
    })
  })

  it.each<[string, (notes: ApprovedNotes) => unknown, string?]>([
    ['its status', (notes) => notes.replace(reply, 'pending_approval', 'failed')],
    ['tags', (notes) => notes.replace(reply, 'status:', 'tags: [a, b]\nstatus:')],
    ['a comment', (notes) => notes.replace(reply, /^(subject: .*)$/m, '$1 # of the year')],
    ['the order', (notes) => notes.replace(reply, /^(from: .*\n)(to: .*\n)/m, '$2$1')],
    ['quotes', (notes) => notes.replace(reply, /^subject: (.*)$/m, 'subject: "$1"')],
    ['a list', (notes) => notes.replace(reply, /^cc: (.*)$/m, 'cc:\n  - $1')],
    ['a BOM at its very start', (notes) => notes.edit(plain, (text) => `\ufeff${text}`)],
    [
      'the line ends of the front matter',
      (notes) =>
        notes.edit(plain, (text) =>
          text.replace(/^---[\s\S]*?\n---\n/, (top) => top.replace(/\n/g, '\r\n')),
        ),
    ],
    ['the approval, which is recorded elsewhere', (notes) => notes.edit(plain, unapproved)],
    [
      'nothing, by an editor that writes anew',
      (notes) => {
        notes.copy(plain, 'Approved/new')
        notes.move('Approved/new', plain)
      },
    ],
    [
      'its place and back',
      (notes) => {
        notes.move(plain, 'Drafts/plain.md')
        notes.move('Drafts/plain.md', plain)
      },
    ],
    [
      'an edit and back',
      (notes) => {
        notes.replace(plain, 'noon', 'one')
        notes.replace(plain, 'one', 'noon')
      },
    ],
    [
      'a torn line in the record',
      (notes) => notes.edit('Logs/approvals.jsonl', (text) => `${text}{"event":"rej`),
    ],
    [
      'foreign lines in the record',
      (notes) =>
        notes.edit(
          'Logs/approvals.jsonl',
          (text) => `null\n[]\n{}\n${'x'.repeat(200_000)}\n${text}`,
        ),
    ],
  ])('is still sent after a change of %s', async (_, change) => {
    const notes = await ApprovedNotes.make()
    await change(notes)
    for (const path of [reply, plain]) expect((await notes.standing(path)).is).toBe('approved')
  })

  it('could be taken as moved by hand, were it not for the record', async () => {
    const notes = await ApprovedNotes.make()
    notes.edit(plain, (text) => unapproved(text).replace('noon', 'one'))
    notes.remove('Logs/approvals.jsonl')
    expect(await notes.standing(plain)).toMatchObject({ is: 'by hand' })
  })

  it('leaves other notes alone, also one whose file has the number of another that is gone', async () => {
    const notes = await ApprovedNotes.make()
    const inode = notes.inode(plain)
    notes.remove(plain)
    for (let count = 0; count < 50; count++) {
      const path = `Approved/new-${count}.md`
      notes.put(path, `---\nto: eve@example.com\n---\nHello ${count}\n`)
      expect(await notes.standing(path)).toMatchObject({ is: 'by hand' })
      if (notes.inode(path) === inode) return
    }
  })
})
