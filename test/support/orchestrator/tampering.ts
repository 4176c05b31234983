/** What somebody may do with an approved note besides changing its text. */

import { ApprovedNotes } from './approved-notes.ts'
import { approveAsItIs, recordsIn } from './records-in.ts'
import { plain, reply } from './tampered-texts.ts'

/** Gives the notes that must not be sent then; without, the one that the way is about. */
export type Way = [name: string, change: (notes: ApprovedNotes) => unknown, voided?: string[]]

export const unapproved = (text: string) => text.replace(/^approved_.*\n/gm, '')

/** The hash that the note would have, from a vault where somebody approves it as it is now. */
export async function forged(notes: ApprovedNotes, path: string): Promise<void> {
  const elsewhere = await ApprovedNotes.make()
  elsewhere.put('Drafts/forged.md', unapproved(notes.text(path)))
  const { sha256, approved_at } = await approveAsItIs(
    recordsIn(elsewhere.vault),
    'Drafts/forged.md',
    {
      by: 'anna',
    },
  )
  notes.edit(path, (text) =>
    text
      .replace(/^approved_sha256: .*$/m, `approved_sha256: ${sha256}`)
      .replace(/^approved_at: .*$/m, `approved_at: ${approved_at}`),
  )
}

export const other = 'Approved/other.md'

export const deeds: Way[] = [
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
