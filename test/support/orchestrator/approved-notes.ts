/** Drafts that a person has approved by command, to be tampered with. */

import {
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import { type Standing, standingAt } from '../../../src/orchestrator/approval/standing.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { TestVault } from '../vault/vault.ts'
import { approveAsItIs, recordsIn } from './records-in.ts'

const drafts = {
  /** Answers a mail, with files. */
  'Drafts/reply.md': `---
status: pending_approval
from: Anna <anna@example.com>
to: Jane <jane@example.com>, joe@example.com
cc: carl@example.com
bcc: bea@example.com
reply_to: desk@example.com
subject: Offer for May
reply_to_message_id: abc123
attachments:
  - path: Files/offer.pdf
    name: offer.pdf
    content_type: application/pdf
  - Files/terms.txt
---
Dear Jane,

the price is 100 Euro.
`,
  /** Answers nothing. */
  'Drafts/plain.md': `---
status: pending_approval
to: paul@example.com
subject: Lunch
---
At noon?
`,
  'Drafts/postmark.md': `---
status: pending_approval
provider: postmark
from: anna@example.com
to: paul@example.com
subject: News
html: <p>News</p>
track_opens: false
track_links: None
tag: news
metadata:
  issue: "7"
message_stream: outbound
---
News
`,
  'Drafts/template.md': `---
status: pending_approval
provider: postmark
to: paul@example.com
subject: ""
template:
  alias: welcome
template_model:
  name: Paul
---
`,
  'Needs_Action/delegated.md': `---
status: pending_approval
message_id: def456
from: Bill <bill@example.com>
subject: Invoice
triage: delegate
delegate_to: books
---
Please pay.
`,
}

export class ApprovedNotes extends TestVault {
  readonly vault = new Vault(this.root)
  readonly approvals = new Approvals(this.vault)

  /** An answer and another mail; with `isAll`, drafts of every kind. */
  static async make({ folder, isAll = false }: { folder?: string; isAll?: boolean } = {}) {
    const notes = new ApprovedNotes(folder)
    notes.put('Files/offer.pdf', 'offer')
    notes.put('Files/terms.txt', 'terms')
    for (const [path, text] of Object.entries(drafts).slice(0, isAll ? undefined : 2)) {
      notes.put(path, text)
      await approveAsItIs(recordsIn(notes.vault), path, { by: 'anna' })
    }
    return notes
  }

  standing(path: string): Promise<Standing> {
    return standingAt(recordsIn(this.vault), path)
  }

  /** As an editor does that writes into the file. */
  edit(path: string, change: (text: string) => string): void {
    const text = readFileSync(this.#at(path), 'utf8')
    const changed = change(text)
    if (changed === text) throw new Error('nothing was changed')
    writeFileSync(this.#at(path), changed)
  }

  replace(path: string, from: string | RegExp, to: string): void {
    this.edit(path, (text) => text.replace(from, to))
  }

  /** As an editor does that writes a new file and puts it in the place of the old. */
  editAnew(path: string, change: (text: string) => string): void {
    this.copy(path, `${path}.new`)
    this.edit(`${path}.new`, change)
    this.move(`${path}.new`, path)
  }

  move = (from: string, to: string): void => renameSync(this.#at(from), this.#at(to))
  copy = (from: string, to: string): void => copyFileSync(this.#at(from), this.#at(to))
  link = (from: string, to: string): void => linkSync(this.#at(from), this.#at(to))
  remove = (path: string): void => rmSync(this.#at(path))
  inode = (path: string): number => statSync(this.#at(path)).ino

  #at(path: string): string {
    return join(this.root, path)
  }
}
