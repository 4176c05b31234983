/** The audit: one line on disk before a mail is given to a service. What cannot be audited is not sent. */
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { AgentMailError, notSent } from '../../errors.ts'
import type { ProviderName } from '../../providers/provider.ts'
import type { Folder } from '../../system/folder.ts'
import { isRecord } from '../../system/text.ts'
import { appendLine, logFolders } from '../../vault/log-file.ts'
import type { Vault } from '../../vault/vault.ts'
import { vaultError } from '../../vault/vault-error.ts'

/** To read more of a log would hold up everybody else. */
const maxReadBytes = 64 << 20

export interface AuditLine {
  event: 'pre_send_audit'
  timestamp: string
  to: string
  cc?: string
  bcc?: string
  subject: string
  body_preview: string
  reply_to_message_id: string | null
  severity: 'INFO'
}

/** Who sends: a provider, or another program's server. */
type Sender = ProviderName | 'server'

/** Local mail and IMAP serve the tools of Gmail, so they are audited in the same place. */
const names: Record<Sender, string> = {
  gmail: 'gmail',
  imap: 'gmail',
  local: 'gmail',
  postmark: 'postmark',
  smtp: 'smtp',
  server: 'server',
}

/** The first characters of a body; no character is cut in two. */
export const preview = (body: string): string => [...body.slice(0, 1000)].slice(0, 200).join('')

/** @param place gives where `Logs/` is: the vault, or a folder of AgentMail's own where there is none. */
export function writeAudit(place: () => Vault, sender: Sender, line: AuditLine): void {
  const name = `${names[sender]}_mcp_${line.timestamp.slice(0, 10)}.jsonl`
  try {
    appendLine(place(), name, JSON.stringify(line))
  } catch (error) {
    const cause = vaultError(`Logs/${name}`, error)
    const reason = AgentMailError.is(cause) ? cause.message : 'the system did not let it'
    throw notSent(
      'send_failed',
      `nothing was sent, because the audit could not be written: ${reason}`,
      (AgentMailError.is(cause) && cause.next) ||
        'Look at the folder Logs in the vault, then try again.',
    )
  }
}

const logName = /^(?:gmail|postmark|smtp)_mcp_(\d{4}-\d\d-\d\d)\.jsonl$/

/** Every line of the logs that can be read, oldest first. @param day the first one, as in 2026-01-15. */
export async function readAudit(place: Vault, day = ''): Promise<AuditLine[]> {
  return place.within(logFolders, (found) => {
    if (!found) return []
    const { folder } = found
    const logs = folder
      .entries()
      .map((entry) => entry.name)
      .filter((name) => logName.test(name) && (logName.exec(name)?.[1] ?? '') >= day)
    const lines = logs.flatMap((name) => readLog(folder, name))
    return lines.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
  })
}

/** One that is a link, or anything but a file, is none of ours. */
function readLog(folder: Folder, name: string): AuditLine[] {
  if (!folder.stat(name)?.isFile()) return []
  const fd = folder.open(name, constants.O_RDONLY)
  try {
    const stat = fstatSync(fd)
    const isReadable = stat.isFile() && stat.size <= maxReadBytes
    return isReadable ? readFileSync(fd, 'utf8').split('\n').flatMap(auditLine) : []
  } finally {
    closeSync(fd)
  }
}

function auditLine(text: string): AuditLine[] {
  try {
    const value: unknown = JSON.parse(text)
    return isAuditLine(value) ? [value] : []
  } catch {
    return []
  }
}

const isAuditLine = (value: unknown): value is AuditLine =>
  isRecord(value) &&
  value.event === 'pre_send_audit' &&
  typeof value.timestamp === 'string' &&
  typeof value.to === 'string' &&
  typeof value.subject === 'string'
