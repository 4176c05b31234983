/** Drafts, each with another way in which it changes after a person has seen it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '../../../src/config.ts'
import { hashOf } from '../../../src/email/drafts/draft-note.ts'
import { approve } from '../../../src/orchestrator/approval/approve.ts'
import { recordsOf } from '../../../src/orchestrator/approval/records.ts'
import { reject } from '../../../src/orchestrator/approval/reject.ts'
import type { OrchestratorHome } from '../orchestrator/orchestrator-home.ts'

/** What the person sees after the click: how it differs, why it cannot be sent or shown, or that it waits no more. */
type End = 'changed' | 'broken' | 'faulty' | 'gone' | 'approved'

export interface Way {
  name: string
  /** The field that differs, as the card calls it. */
  field: string
  end: End
  change(place: Place): void | Promise<void>
}

/** The note, and the folder of its files. */
interface Place {
  home: OrchestratorHome
  path: string
  files: string
}

const text = `Dear Jane,
we take all 100 of them, at 20 EUR each.
Please pay to DE89 3704 0044 0532 0130 00.
See https://example.com/order

Yours, Anna
${'As we said. '.repeat(150)}
PS: no more than 100.
`

/** @param index tells one from the other. */
export function putDraft(home: OrchestratorHome, index: number): Place {
  const files = `Files/${index}`
  const path = `Drafts/way-${String(index).padStart(3, '0')}.md`
  mkdirSync(join(home.root, files), { recursive: true })
  writeFileSync(join(home.root, files, 'one.txt'), 'The first file.\n')
  writeFileSync(join(home.root, files, 'two.bin'), Buffer.from([1, 2, 3, 4]))
  home.put(
    path,
    `---
status: pending_approval
to: Jane <jane@example.com>, kim@example.com
cc: carl@example.com
bcc: boss@example.com
reply_to: anna@example.org
subject: The order
attachments: [${files}/one.txt, ${files}/two.bin]
---
${text}`,
  )
  return { home, path, files }
}

export const versionNow = async ({ home, path }: Pick<Place, 'home' | 'path'>): Promise<string> =>
  hashOf(home.vault, await home.note(path))

/** Something in the note is another: fails where it was not there. */
const swap =
  (old: string, fresh: string) =>
  ({ home, path }: Place): void => {
    const before = home.text(path)
    const after = before.replace(old, () => fresh)
    if (after === before) throw new Error(`There is no ${old} in ${path}`)
    home.put(path, after)
  }

const write =
  (name: string, bytes: string | Buffer) =>
  ({ home, files }: Place): void =>
    writeFileSync(join(home.root, files, name), bytes)

const ways = (
  field: string,
  end: End,
  changes: Record<string, (place: Place) => void | Promise<void>>,
): Way[] =>
  Object.entries(changes).map(([name, change]) => ({
    name: `${field}: ${name}`,
    field,
    end,
    change,
  }))

/** Each pair is what stands there, and what does then. */
const swaps = (field: string, pairs: Record<string, [old: string, fresh: string]>): Way[] =>
  ways(
    field,
    'changed',
    Object.fromEntries(
      Object.entries(pairs).map(([name, [old, fresh]]) => [name, swap(old, fresh)]),
    ),
  )

const to = 'to: Jane <jane@example.com>, kim@example.com'
const files = /attachments: \[(.+)\]/

/** The list of files of the note, changed. */
const relist =
  (list: (one: string, two: string) => string) =>
  ({ home, path, files: folder }: Place): void =>
    home.put(
      path,
      home
        .text(path)
        .replace(files, `attachments: [${list(`${folder}/one.txt`, `${folder}/two.bin`)}]`),
    )

const recordsAt = (home: OrchestratorHome) => recordsOf(new Config({}, home.env), home.vault)

export const changedWays: Way[] = [
  ...swaps('body', {
    'another number': ['all 100', 'all 1000'],
    'another account': ['DE89 3704', 'DE89 3705'],
    'another address on the web': ['example.com/order', 'examp1e.com/order'],
    'a word more': ['we take', 'we do not take'],
    'a word less': ['Please pay', 'Pay'],
    'two lines swapped': ['Dear Jane,\nwe', 'we\nDear Jane,'],
    'one letter of another alphabet': ['Jane,\nwe', 'J\u0430ne,\nwe'],
    'a letter that is not seen': ['20 EUR', '20\u200b EUR'],
    'a turn of the direction of writing': ['20 EUR', '\u202e20 EUR'],
    'a space that does not break': ['20 EUR', '20\u00a0EUR'],
    'a space more': ['20 EUR', '20  EUR'],
    'a tab for a space': ['20 EUR', '20\tEUR'],
    'an accent apart': ['Yours', 'Yo\u0301urs'],
    'a picture': ['Yours', '😀 Yours'],
    'a line in the middle': ['See https', 'Today.\nSee https'],
    'no greeting': ['Dear Jane,\n', ''],
    'an address on the web more': ['/order', '/order or https://example.net'],
    'an empty line more': ['\n\nYours', '\n\n\nYours'],
    'an empty line less': ['\n\nYours', '\nYours'],
    'capital letters': ['Please pay', 'PLEASE PAY'],
    'a comma for a point': ['20 EUR', '20,000 EUR'],
    'a line at the end, where it is folded': [
      'PS: no more than 100.\n',
      'PS: no more than 100.\nOr 500.\n',
    ],
    'the end, where it is folded': ['no more than 100', 'no more than 900'],
    'a letter far down, where it is folded': ['As we said. \nPS', 'As we said! \nPS'],
    'no break at its end': ['than 100.\n', 'than 100.'],
    'a space at the end of a line': ['/order\n', '/order \n'],
    'something that looks like HTML': ['Yours', '<b>Yours</b>'],
    'a line that looks like front matter': ['Yours', '---\nbcc: eve@example.net\n---\nYours'],
  }),
  ...ways('body', 'changed', {
    'all of it': ({ home, path }) =>
      home.put(path, home.text(path).replace(text, 'Please send the money to Eve.\n')),
    'longer than anybody compares': ({ home, path }) =>
      home.put(path, home.text(path).replace(text, `${'One line more.\n'.repeat(2000)}`)),
  }),
  ...swaps('to', {
    'somebody else': [to, 'to: eve@example.net, kim@example.com'],
    'one more': [to, `${to}, eve@example.net`],
    'one more in front': [to, 'to: eve@example.net, Jane <jane@example.com>, kim@example.com'],
    'one less': [to, 'to: Jane <jane@example.com>'],
    'another name': ['Jane <jane', 'June <jane'],
    'a name that looks like an address': [
      to,
      `to: '"jane@example.com" <eve@example.net>, kim@example.com'`,
    ],
    'another domain': ['jane@example.com', 'jane@example.net'],
    'a domain within another': ['jane@example.com', 'jane@example.com.evil.example'],
    'a part of a box': ['jane@example.com', 'jane+eve@example.com'],
    'no name': ['Jane <jane@example.com>', 'jane@example.com'],
    'a letter for another': ['kim@example.com', 'kirn@example.com'],
  }),
  ...swaps('cc', {
    'somebody else': ['cc: carl', 'cc: eve'],
    'one more': ['cc: carl@example.com', 'cc: carl@example.com, eve@example.net'],
    nobody: ['cc: carl@example.com\n', ''],
    'another domain': ['carl@example.com', 'carl@example.net'],
    'a name': ['cc: carl@example.com', 'cc: Carl <carl@example.com>'],
    'those of the other field, too': [
      'cc: carl@example.com',
      'cc: carl@example.com, boss@example.com',
    ],
    'a letter for another': ['cc: carl@', 'cc: car1@'],
    'as a list': ['cc: carl@example.com', 'cc: [carl@example.com, eve@example.net]'],
  }),
  ...swaps('bcc', {
    'somebody else': ['bcc: boss', 'bcc: eve'],
    'a field that is misspelt': ['bcc:', 'bbc:'],
    'one more': ['bcc: boss@example.com', 'bcc: boss@example.com, eve@example.net'],
    nobody: ['bcc: boss@example.com\n', ''],
    'another domain': ['boss@example.com', 'boss@example.net'],
    'a name': ['bcc: boss@example.com', 'bcc: Boss <boss@example.com>'],
    'many more': [
      'bcc: boss@example.com',
      `bcc: [${Array.from({ length: 30 }, (_, one) => `e${one}@example.net`).join(', ')}]`,
    ],
  }),
  ...swaps('reply_to', {
    'somebody else': ['reply_to: anna@example.org', 'reply_to: eve@example.net'],
    nobody: ['reply_to: anna@example.org\n', ''],
    'one more': ['reply_to: anna@example.org', 'reply_to: anna@example.org, eve@example.net'],
    'a name': ['reply_to: anna@example.org', 'reply_to: Anna <anna@example.org>'],
  }),
  ...swaps('subject', {
    'another word': ['subject: The order', 'subject: The invoice'],
    'a word more': ['subject: The order', 'subject: The order, urgent'],
    'a letter that is not seen': ['subject: The order', 'subject: "The\\u200b order"'],
    'a letter of another alphabet': ['subject: The order', 'subject: The \u043erder'],
    'small letters': ['subject: The order', 'subject: the order'],
    'as an answer': ['subject: The order', 'subject: "Re: The order"'],
    'two spaces': ['subject: The order', 'subject: The  order'],
    none: ['subject: The order\n', ''],
    'a picture': ['subject: The order', 'subject: The order 💰'],
  }),
  ...swaps('from', {
    'another address': ['subject:', 'from: eve@example.net\nsubject:'],
    'another name': ['subject:', 'from: Bank <anna@example.org>\nsubject:'],
  }),
  ...swaps('reply_to_message_id', {
    'an answer to a mail': ['subject:', 'reply_to_message_id: "<other@example.com>"\nsubject:'],
  }),
  ...ways('attachments', 'changed', {
    'a line more in a file': write('one.txt', 'The first file.\nAnd a virus.\n'),
    'a letter of a file': write('one.txt', 'The first fine.\n'),
    'a file without its break': write('one.txt', 'The first file.'),
    'another file of the same size': write('two.bin', Buffer.from([4, 3, 2, 1])),
    'one bit of a file': write('two.bin', Buffer.from([1, 2, 3, 5])),
    'a file cut short': write('two.bin', Buffer.from([1, 2, 3])),
    'a file that grew': write('two.bin', Buffer.alloc(100_000, 1)),
    'a mark at the beginning of a file': write('one.txt', '\ufeffThe first file.\n'),
    'the files swapped': (place) => {
      write('one.txt', Buffer.from([1, 2, 3, 4]))(place)
      write('two.bin', 'The first file.\n')(place)
    },
    'one file less': relist((one) => one),
    'the other order': relist((one, two) => `${two}, ${one}`),
    'the same twice': relist((one, two) => `${one}, ${two}, ${two}`),
    'another name': relist((one, two) => `{path: ${one}, name: paid.txt}, ${two}`),
    'another type': relist((one, two) => `{path: ${one}, content_type: text/html}, ${two}`),
    'one file more': (place) => {
      write('three.txt', 'Secret.\n')(place)
      relist((one, two) => `${one}, ${two}, ${dirname(one)}/three.txt`)(place)
    },
    'another file in its place': (place) => {
      write('three.txt', 'Secret.\n')(place)
      relist((one, two) => `${dirname(one)}/three.txt, ${two}`)(place)
    },
    'none at all': swapAll('attachments'),
  }),
  ...ways('unsendable', 'broken', {
    'nobody to go to': swap('jane@example.com', 'nobody'),
    'a file that is gone': ({ home, files: folder }) => rmSync(join(home.root, folder, 'one.txt')),
  }),
  ...ways('unreadable', 'faulty', {
    'no draft any more': ({ home, path }) => home.put(path, 'Just some words.\n'),
    'no text': ({ home, path }) => home.put(path, home.text(path).replace(text, '')),
    'a field in capital letters': swap('bcc:', 'Bcc:'),
  }),
  ...ways('place', 'gone', {
    removed: ({ home, path }) => home.remove(path),
    'moved to Done': ({ home, path }) => home.move(path, path.replace('Drafts', 'Done')),
    'moved to a folder within Drafts': ({ home, path }) => {
      mkdirSync(join(home.root, 'Drafts/Later'), { recursive: true })
      home.move(path, path.replace('Drafts', 'Drafts/Later'))
    },
    renamed: ({ home, path }) => home.move(path, path.replace('way', 'other')),
    'moved to Approved by hand': ({ home, path }) => void home.approveByHand(path),
    rejected: async ({ home, path }) =>
      void (await reject(recordsAt(home), path, { by: 'Paul', reason: 'no' })),
  }),
  ...ways('place', 'approved', {
    'approved by another': async (place) =>
      void (await approve(recordsAt(place.home), place.path, {
        by: 'Paul',
        version: await versionNow(place),
      })),
  }),
]

/** Takes out the line of a field. */
function swapAll(field: string) {
  return ({ home, path }: Place): void =>
    home.put(path, home.text(path).replace(new RegExp(`^${field}:.*\n`, 'm'), ''))
}
