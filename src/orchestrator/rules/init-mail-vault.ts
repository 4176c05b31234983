/** A vault for mail: its folders, an example of rules, and what editors check rules by. */
import { initVault } from '../../vault/init.ts'
import { rulesJsonSchema } from './rule-schema.ts'

export const rulesName = 'Rules.md'
const schemaName = 'Rules.schema.json'

/** By which an editor finds the schema, without a network. */
const schemaComment = `# yaml-language-server: $schema=./${schemaName}`

const rules = `---
${schemaComment}
rules:
  # The first rule that fits a mail decides. What no rule fits waits for you.
  - from: newsletter@widgets.example
    decision: archive
    reason: Newsletters are read elsewhere.
  - from: customer.example
    subject: opening hours
    decision: draft_reply
    reason: It is asked every week.
    reply: |
      Hello,

      we are open from Monday to Friday, 9 to 17.
  # Take out the # before these lines, and name an agent or a mailbox of yours:
  # - from: supplier.example
  #   subject: invoice
  #   decision: delegate
  #   delegate_to: bookkeeper
  #   reason: Invoices are for the bookkeeper.
---
# Rules

What is to be done with mail when no language model is asked. Change the rules above as you like;
this text is for you alone.

- A rule fits when everything it names occurs in the mail: \`from\`, \`to\`, \`subject\`, \`body\`. Case does not matter.
- \`decision\` is one of \`draft_reply\` and \`urgent\` (with a \`reply\`), \`archive\`, \`needs_info\`,
  \`delegate\` (with \`delegate_to\`).
- Nothing is sent by a rule: replies go to Drafts/ and wait until you move them to Approved/.
- \`agentmail rules check\` says which rule takes each of your last mails, and why, and what is wrong
  with the rules, by line and column.
`

/** Gives what was made: nothing where it was all there. */
export const initMailVault = (path: string): Promise<{ root: string; made: string[] }> =>
  initVault(path, { [rulesName]: rules, [schemaName]: rulesJsonSchema() })
