/** What a hook says that nobody answers where the guard is closed. */
import { asOneLine } from '../sessions/mail-text.ts'
import type { HookAnswer, SessionMoment } from '../sessions/moment.ts'

const longestPath = 4096

/** For AGENTMAIL_GUARD=closed, where nobody can say whether an edit may be made. */
export function closedAnswer({ moment }: SessionMoment, why: string): HookAnswer {
  if (moment.kind !== 'before-edit') return {}
  const path = asOneLine(moment.paths[0] ?? '', longestPath)
  const refusal = `AgentMail could not say whether somebody holds ${path} (${why}), and AGENTMAIL_GUARD=closed refuses an edit then. Try again; agentmail doctor tells what is wrong.`
  return { refusal }
}
