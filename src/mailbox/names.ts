/** Agent names as file names: any name is a single plain file inside `mailboxes/`. */
import { AgentMailError } from '../errors.ts'
import { asFileName, wrongAgentName } from '../names.ts'

const extension = '.jsonl'

/** The mailbox file of a name. @example mailboxFile('../x') // '%2E%2E%2Fx.jsonl' */
export function mailboxFile(name: string): string {
  checkName(name)
  return asFileName(name) + extension
}

/** The name that a mailbox file belongs to, or nothing if it is nobody's. */
export function nameOfMailboxFile(file: string): string | undefined {
  if (!file.endsWith(extension)) return undefined
  try {
    const name = decodeURIComponent(file.slice(0, -extension.length))
    return mailboxFile(name) === file ? name : undefined
  } catch {
    return undefined
  }
}

/** Refuses what cannot be anybody's name, with a word on why. */
export function checkName(name: string): void {
  const reason = wrongAgentName(name)
  if (reason === undefined) return
  throw new AgentMailError(
    'invalid_request',
    `agent name ${reason}: ${JSON.stringify(name.slice(0, 40))}`,
    'Take another, by AGENTMAIL_AGENT or in tmux with agentmail name <name>: at most 224 letters and digits; other characters count 3 to 12 each.',
  )
}
