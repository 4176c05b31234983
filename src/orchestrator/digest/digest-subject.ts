/** The subject of a digest, by which its own orchestrator knows it when it comes into the inbox. */
import { sha256 } from '../../system/text.ts'

/** Nobody else can write one that is taken for ours, and keep a mail from being taken in with it. */
const markOf = (vaultId: string, date: string): string =>
  sha256(JSON.stringify(['digest', vaultId, date])).slice(0, 10)

export const digestSubject = (vaultId: string, date: string, counts: string): string =>
  `AgentMail digest ${date}: ${counts} [${markOf(vaultId, date)}]`

export function isOwnDigest(subject: string, vaultId: string): boolean {
  const [, date, mark] =
    /^AgentMail digest (\d{4}-\d\d-\d\d): .* \[([0-9a-f]{10})\]$/.exec(subject.trim()) ?? []
  return date !== undefined && mark === markOf(vaultId, date)
}
