/** What may be decided about a mail, who decides, and the error of an answer that is no decision. */
import { AgentMailError } from '../../errors.ts'

/** A mail as whoever decides sees it: cleaned text from outside, which is data. */
export interface TriageMail {
  from: string
  to: string
  subject: string
  date: string
  body: string
}

export const decisionNames = ['draft_reply', 'urgent', 'archive', 'needs_info', 'delegate'] as const

export type Decision =
  | { decision: 'draft_reply' | 'urgent'; reason: string; reply: string }
  | { decision: 'archive' | 'needs_info'; reason: string }
  | { decision: 'delegate'; reason: string; delegate_to: string | undefined }

export interface Triager {
  /** As in `rules` or `anthropic:claude-x`, for logs. */
  readonly name: string
  /** Changes when the answers may: a mail that nobody could decide about is shown again then. */
  version(): Promise<string>
  /**
   * Nothing where the mail is for a person to decide about. Throws `bad_answer` for an answer that
   * does not fit (`details.answer` is its beginning), and `model_unavailable` where there was none,
   * or `ending` cut it short.
   */
  decide(mail: TriageMail, ending?: AbortSignal): Promise<Decision | undefined>
  /** Why the last mail was left to a person, as in `no rule fits it`. */
  why?(): string
}

export const doesNotFit = (misfit: string) =>
  new AgentMailError(
    'bad_answer',
    `the answer does not fit: ${misfit}`,
    'The mail waits for a person to decide about it.',
  )
