/** Makes the folders of a vault that agents and a person work in, and an example of rules. What is there stays as it is. */
import { realpathSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { makeFolder } from '../system/files.ts'
import type { Folder } from '../system/folder.ts'
import { createNote } from './note-change.ts'
import { Vault, workFolders } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'

const rules = `---
rules:
  # The first rule that fits a mail decides. What no rule fits waits for you.
  - from: newsletter@example.com
    decision: archive
    reason: Newsletters are read elsewhere.
  - from: example.com
    subject: opening hours
    decision: draft_reply
    reason: It is asked every week.
    reply: |
      Hello,

      we are open from Monday to Friday, 9 to 17.
  - from: example.com
    subject: invoice
    decision: delegate
    delegate_to: bookkeeper
    reason: Invoices are for the bookkeeper.
---
# Rules

What is to be done with mail when no language model is asked. Change the rules above as you like;
this text is for you alone.

- A rule fits when everything it names occurs in the mail: \`from\`, \`to\`, \`subject\`, \`body\`. Case does not matter.
- \`decision\` is one of \`draft_reply\` and \`urgent\` (with a \`reply\`), \`archive\`, \`needs_info\`,
  \`delegate\` (with \`delegate_to\`).
- Nothing is sent by a rule: replies go to Drafts/ and wait until you move them to Approved/.
`

/** Gives what was made: nothing where it was all there. */
export async function initVault(path: string): Promise<{ root: string; made: string[] }> {
  const root = makeRoot(path)
  const vault = new Vault(root)
  return withVaultErrors(path, async () => {
    const top = vault.make([])
    const made: string[] = []
    try {
      const missing = workFolders.filter((name) => !isFolder(top.folder, name))
      for (const name of missing) {
        top.folder.make(name, 0o700).close()
        made.push(`${name}/`)
      }
      if (createNote(top, 'Rules.md', Buffer.from(rules))) made.push('Rules.md')
    } finally {
      top.folder.close()
    }
    return { root, made }
  })
}

function isFolder(root: Folder, name: string): boolean {
  const there = root.stat(name)
  if (!there || there.isDirectory()) return there !== undefined
  throw new AgentMailError(
    'invalid_request',
    `${name} is in the way: it is not a folder`,
    'Give it another name, then try again. Nothing was made.',
  )
}

function makeRoot(path: string): string {
  try {
    makeFolder(path)
    return realpathSync(path)
  } catch (cause) {
    const isTaken = hasCode(cause, 'EEXIST', 'ENOTDIR')
    throw new AgentMailError(
      'invalid_request',
      isTaken ? `there is a file at ${path}` : `the folder could not be made: ${path}`,
      'Give the path of a folder that is there or can be made.',
      { cause },
    )
  }
}
