/** What a draft said when it was proposed, kept for a person to compare with what it has become. */
import { AgentMailError } from '../../errors.ts'
import { isRecord } from '../../system/text.ts'
import { addressesOf, textOf } from './draft-fields.ts'
import type { DraftText } from './draft-note.ts'

export interface ProposedText {
  to: string
  cc: string
  bcc: string
  subject: string
  body: string
}

/** As a person is shown it; what is wrong with it they are told elsewhere. */
export const proposedTextOf = ({ frontmatter, body }: DraftText): ProposedText => ({
  to: shown(() => addressesOf(frontmatter, 'to')),
  cc: shown(() => addressesOf(frontmatter, 'cc')),
  bcc: shown(() => addressesOf(frontmatter, 'bcc')),
  subject: shown(() => textOf(frontmatter, 'subject')),
  body,
})

function shown(text: () => string | undefined): string {
  try {
    return text() ?? ''
  } catch (error) {
    if (AgentMailError.is(error)) return ''
    throw error
  }
}

/** Lines of earlier versions have none. */
export const isProposedText = (value: unknown): value is ProposedText =>
  isRecord(value) &&
  ['to', 'cc', 'bcc', 'subject', 'body'].every((name) => typeof value[name] === 'string')
