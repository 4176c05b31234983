/** The record of who approved and rejected what, kept outside the notes: to edit a note neither forges nor erases it. */
import { type BigIntStats, closeSync, constants } from 'node:fs'
import type { Asked } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { randomId } from '../../system/random.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { appendLine, linesOf, logFolders } from '../../vault/log-file.ts'
import type { Vault } from '../../vault/vault.ts'
import { vaultError, withVaultErrors } from '../../vault/vault-error.ts'

const name = 'approvals.jsonl'

interface Recorded {
  id: string
  timestamp: string
  /** Who it was. */
  by: string
  /** Where the note lies once it is approved, or lay when it was rejected. */
  note: string
  reply_to_message_id: string | null
}

export interface Approval extends Recorded {
  event: 'approved'
  /** Where it came from. */
  draft: string
  /** Of exactly what may be sent. */
  sha256: string
  /** Of what the person saw: before an agent was named who is given a mail. */
  seen?: string
  /** Whom it goes to. */
  to?: string
  /** Which file it became in Approved/; nothing until it is there. */
  file?: string
}

export interface Rejection extends Recorded {
  event: 'rejected'
  reason: string
  /** Nothing for a draft that could not have been sent. */
  sha256: string | null
}

export type Verdict = Approval | Rejection

/** Says of an approved note that it has come to Approved/, and as which file. */
interface Placed {
  event: 'placed'
  id: string
  timestamp: string
  file: string
}

/** Whom a draft goes to: people, or an agent. */
export const recipientOf = (asked: Asked): string =>
  asked.kind === 'mail' ? asked.request.to : `@${asked.agent ?? ''}`

type FileFacts = Pick<BigIntStats, 'ino' | 'birthtimeNs'>

/** Which file it is, under whatever name. The number alone is given to another file once this one is gone. */
export const fileOf = ({ ino, birthtimeNs }: FileFacts): string | undefined =>
  birthtimeNs > 0n ? `${ino}-${birthtimeNs}` : undefined

export class Approvals {
  readonly #vault: Vault
  #verdicts: Verdict[] = []
  /** What the verdicts were read from. */
  #version = ''

  constructor(vault: Vault) {
    this.#vault = vault
  }

  approved(approval: Omit<Approval, keyof New | 'file'>): Approval {
    return this.#append({ event: 'approved', ...newest(), ...approval })
  }

  rejected(rejection: Omit<Rejection, keyof New>): Rejection {
    return this.#append({ event: 'rejected', ...newest(), ...rejection })
  }

  placed({ id }: Approval, file: string): void {
    this.#append<Placed>({ event: 'placed', id, timestamp: newest().timestamp, file })
  }

  #append<Line extends object>(line: Line): Line {
    try {
      appendLine(this.#vault, name, JSON.stringify(line))
      return line
    } catch (error) {
      throw vaultError(`Logs/${name}`, error)
    }
  }

  /** Oldest first. Read anew only if the file has changed. */
  async verdicts(): Promise<readonly Verdict[]> {
    return withVaultErrors(`Logs/${name}`, () =>
      this.#vault.within(logFolders, (found) => {
        const stat = found?.folder.stat(name)
        const version = stat ? [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join() : ''
        if (version !== this.#version) {
          this.#verdicts = found && stat ? readVerdicts(found.folder, stat) : []
          this.#version = version
        }
        return this.#verdicts
      }),
    )
  }
}

interface New {
  event: string
  id: string
  timestamp: string
}

const newest = () => ({ id: randomId(16), timestamp: rfc3339(systemClock.now()) })

/** What is no file must not pass for an empty record: then everything would be as if moved by hand. */
function readVerdicts(folder: Folder, stat: BigIntStats): Verdict[] {
  if (!stat.isFile()) {
    throw new AgentMailError(
      'storage',
      `Logs/${name} is not a file`,
      'Who approved what is recorded there: put the file back.',
    )
  }
  const fd = folder.open(name, constants.O_RDONLY)
  try {
    const verdicts = new Map<string, Verdict>()
    for (const line of linesOf(fd)) {
      const value = jsonOf(line)
      if (isVerdict(value)) verdicts.set(value.id, value)
      else if (isPlaced(value)) {
        const approval = verdicts.get(value.id)
        if (approval?.event === 'approved') approval.file = value.file
      }
    }
    return [...verdicts.values()]
  } finally {
    closeSync(fd)
  }
}

function isVerdict(value: unknown): value is Verdict {
  if (!isRecord(value) || !hasTexts(value, 'id', 'timestamp', 'by', 'note')) return false
  if (!isTextOrNull(value.reply_to_message_id)) return false
  if (value.event === 'approved') return hasTexts(value, 'draft', 'sha256')
  return value.event === 'rejected' && hasTexts(value, 'reason') && isTextOrNull(value.sha256)
}

const isPlaced = (value: unknown): value is Placed =>
  isRecord(value) && value.event === 'placed' && hasTexts(value, 'id', 'file')

const hasTexts = (value: Record<string, unknown>, ...names: string[]): boolean =>
  names.every((one) => typeof value[one] === 'string')

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
